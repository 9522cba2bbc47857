// promise: callers.discovery
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KeyHost, startKeyHost } from "../harness/key-host.ts";
import { newTenant, startLatchkey } from "../harness/latchkey.ts";
import { bearer, PLATFORM_KEY } from "../harness/publishable.ts";
import { signToken } from "../jwks/provider.ts";

const LIST = "/api/v1/api-keys/list";

let keyHost: KeyHost;

beforeAll(async () => {
  keyHost = await startKeyHost();
});

afterAll(() => keyHost.close());

function start(issuer: string, jwksAllowedHosts: readonly string[] = []) {
  const audience = ["console", "cli"];
  const expectation = { issuer, jwksUrl: undefined, audience, jwksOwner: { kind: "operator" } } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "tenant_id", requiredClaims: {} };
  return startLatchkey({ config: { dashboard, jwksAllowedHosts } });
}

describe("a dashboard provider without OIDC_JWKS_URL", () => {
  test("is discovered once at the start, and each of its audiences accepted", async () => {
    const { issuer, metadata } = keyHost.issuer(PLATFORM_KEY.jwk);
    const latchkey = await start(issuer);
    try {
      metadata.respond = (_req, res) => res.writeHead(500).end();
      const nowS = Math.floor(latchkey.clock.now().getTime() / 1_000);
      const outcome = async (aud: unknown) => {
        const claims = { iss: issuer, aud, sub: "u", tenant_id: newTenant(), exp: nowS + 60 };
        const { status, json } = await latchkey.call(LIST, {}, bearer(signToken(PLATFORM_KEY, claims)));
        return status === 200 ? "admitted" : json.denial_reason;
      };
      for (const aud of ["console", "cli", ["x", "cli"]]) expect(await outcome(aud)).toBe("admitted");
      for (const aud of ["console,cli", "console, cli", "x", [], undefined, ["cli", 1]])
        expect(await outcome(aud)).toBe("jwt_invalid_audience");
      expect(metadata.requests).toBe(1);
    } finally {
      await latchkey.close();
    }
  });

  test.each<[string, (issuer: string) => object, RegExp]>([
    [
      "another issuer",
      (issuer) => ({ issuer: `${issuer}/`, jwks_uri: issuer }),
      /^OIDC_ISSUER differs .*slash at its end/,
    ],
    ["no key set", (issuer) => ({ issuer }), /^OIDC_JWKS_URL could not be discovered: .* has no jwks_uri/],
    ["a key set over http", (issuer) => ({ issuer, jwks_uri: "http://idp.example/keys" }), /is not an https URL/],
    [
      "a key set with a password",
      (issuer) => ({ issuer, jwks_uri: "https://u:p@idp.example/" }),
      /user name and password/,
    ],
    ["a file", (issuer) => ({ issuer, jwks_uri: "file://localhost/etc/passwd" }), /is not an https URL/],
  ])("whose metadata name %s stops the start and says what to set", async (_case, published, problem) => {
    const { issuer, metadata } = keyHost.issuer(PLATFORM_KEY.jwk);
    metadata.respond = (_req, res) => res.end(JSON.stringify(published(issuer)));
    await expect(start(issuer)).rejects.toThrow(problem);
  });

  test("whose metadata cannot be fetched stops the start", async () => {
    const { issuer, metadata } = keyHost.issuer(PLATFORM_KEY.jwk);
    metadata.respond = (_req, res) => res.writeHead(404).end();
    await expect(start(issuer)).rejects.toThrow(/OIDC_JWKS_URL could not be discovered: .* the status 404; set it/);
  });
});
