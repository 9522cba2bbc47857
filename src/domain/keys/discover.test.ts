// promise: oidc.discovery
import { describe, expect, test } from "vitest";
import type { JwksOwner } from "../tokens/claims.ts";
import { createOwnIssuer } from "../tokens/own-issuer.ts";
import type { FetchedDocument } from "../tokens/provider-metadata.ts";
import { withDiscovery } from "./discover.ts";
import type { OidcDraft } from "./oidc.ts";

const ISSUER = "https://idp.example/realms/a";
const DRAFT: OidcDraft = {
  issuer: ISSUER,
  jwksUrl: undefined,
  audience: "app",
  userIdClaim: "sub",
  requiredClaims: {},
  tokenType: "id",
};

const isOwnIssuer = createOwnIssuer({ issuer: "https://keys.example/latchkey", host: "0.0.0.0", ports: [8_080] });

/** Discovers from what a provider publishes. Returns the problem as a text. */
async function discover(fetched: FetchedDocument, draft = DRAFT) {
  const asked: string[] = [];
  const providers = {
    async fetchDocument(url: string, owner: JwksOwner) {
      asked.push(`${JSON.stringify(owner)} ${url}`);
      return fetched;
    },
  };
  const found = await withDiscovery({ providers, jwksAllowedHosts: [], isOwnIssuer }, "ten_1", draft).catch(String);
  return { asked, found };
}

const document = (changes: object = {}): FetchedDocument => ({
  document: { issuer: ISSUER, jwks_uri: "https://keys.example/jwks", ...changes },
});

describe("a configuration without jwksUrl", () => {
  test("gets that of its issuer's metadata, and is not changed otherwise", async () => {
    const { asked, found } = await discover(document());
    expect(found).toEqual({ ...DRAFT, jwksUrl: "https://keys.example/jwks" });
    expect(asked).toEqual([`{"kind":"tenant","tenantId":"ten_1"} ${ISSUER}/.well-known/openid-configuration`]);
  });

  test("is refused if the metadata name another issuer, in whatever form", async () => {
    for (const issuer of [`${ISSUER}/`, ISSUER.toUpperCase(), [ISSUER], null, undefined]) {
      const { found } = await discover(document({ issuer }));
      expect(found).toMatch(/publishableConfig\.oidc\.issuer: differs from the issuer/);
    }
  });

  test("is refused if the key set's address could not be given either", async () => {
    for (const jwks_uri of ["http://keys.example/", "https://127.0.0.1/", "https://keys.example:8443/", "", 5, null]) {
      const { found } = await discover(document({ jwks_uri }));
      expect(found).toMatch(/publishableConfig\.oidc\.jwksUrl: could not be discovered: /);
    }
  });

  test("is refused if the key set that the issuer publishes is this service's own", async () => {
    for (const path of ["/latchkey/.well-known/jwks.json", ":8080/.well-known/jwks.json"]) {
      const { found } = await discover(document({ jwks_uri: `https://keys.example${path}` }));
      expect(found).toMatch(
        /publishableConfig\.oidc\.jwksUrl: the jwks_uri that the issuer publishes must not lead to this service/,
      );
    }
  });

  test("is refused with the problem of the fetch, or of the document's form", async () => {
    expect((await discover({ problem: "the answer has the status 404" })).found).toContain("the status 404; set it to");
    for (const each of [null, [], "x", 5])
      expect((await discover({ document: each })).found).toContain("instead of an");
  });
});

test("a configuration with jwksUrl is complete, and nothing is fetched", async () => {
  const draft = { ...DRAFT, jwksUrl: "https://idp.example/keys" };
  const { asked, found } = await discover(document(), draft);
  expect([asked, found]).toEqual([[], draft]);
});
