// promise: callers.keys-manage-nothing, callers.ids, callers.on-behalf-of, tokens.times, tokens.first-fault
// promise: tokens.claims
import { beforeAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import {
  bearer,
  PLATFORM_KEY,
  type PublishableService,
  reasonOf,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { RPCS } from "../harness/rpcs.ts";
import { generateKey, signToken } from "../jwks/provider.ts";
import { HAS_WYCHEPROOF, wycheproofVectors } from "../jwks/wycheproof.ts";

const VERIFY = "/api/v1/auth/verify";

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

describe("an end user's token is not accepted as a dashboard user's", () => {
  const management = RPCS.filter(({ callers }) => callers !== "anyone");

  // threat: K14
  test.each(management)("at $path, with its key and without it", async (rpc) => {
    const app = await service.newApp();
    const token = app.token({ tenant_id: app.tenant });
    for (const path of [rpc.path, rpc.procedure]) {
      const call = (headers: Record<string, string>) => service.latchkey.call(path, rpc.body(app.keyId), headers);
      expect(reasonOf(await call(app.headers(token)))).toBe("insufficient_scope");
      expect(reasonOf(await call(bearer(token)))).toBe("jwt_invalid_signature");
    }
    const { keys } = (await dashboardOf(service.latchkey, app.tenant).call("list", {})).json;
    expect(keys).toMatchObject([{ key_id: app.keyId, status: "KEY_STATUS_ACTIVE", name: "test key" }]);
  });

  // threat: K14
  test("whatever its claims are", async () => {
    const app = await service.newApp();
    const { issuer, audience, outcomeOf } = service.platform;
    const claims = { iss: issuer, aud: audience, tenant_id: app.tenant };
    expect(await outcomeOf(app.token(claims))).toBe("jwt_invalid_signature");
    expect(await outcomeOf(app.token(claims, USER_KEY, { kid: PLATFORM_KEY.jwk.kid }))).toBe("jwt_invalid_signature");
    expect(await outcomeOf(app.token(claims, USER_KEY, { kid: undefined }))).toBe("jwt_invalid_signature");
  });

  // threat: X17
  test("even if one provider signs both", async () => {
    const { platform } = service;
    const { document, issuer } = platform;
    const app = await service.newApp({ document, keys: [PLATFORM_KEY], oidc: { issuer } });
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    expect(await platform.outcomeOf(app.token({ tenant_id: app.tenant }))).toBe("jwt_invalid_audience");
    const sibling = await service.newApp({ document, keys: [PLATFORM_KEY], oidc: { audience: platform.audience } });
    expect(await sibling.outcomeOf(sibling.token())).toBe("admitted");
    expect(await platform.outcomeOf(sibling.token({ tenant_id: app.tenant }))).toBe("jwt_invalid_issuer");
  });
});

describe("a dashboard user's token is not accepted as an end user's", () => {
  test("with a provider of its own", async () => {
    const app = await service.newApp();
    expect(await app.outcomeOf(service.platform.token({ tenant_id: app.tenant }))).toBe("jwt_invalid_signature");
  });

  // threat: X17
  test("even if one provider signs both", async () => {
    const { platform } = service;
    const { document, issuer, audience } = platform;
    const shared = await service.newApp({ document, keys: [PLATFORM_KEY], oidc: { issuer } });
    expect(await shared.outcomeOf(platform.token())).toBe("jwt_invalid_audience");
    const sibling = await service.newApp({ document, keys: [PLATFORM_KEY], oidc: { audience } });
    expect(await sibling.outcomeOf(platform.token())).toBe("jwt_invalid_issuer");
  });
});

describe("a token of one app", () => {
  // threat: J25
  test("is not accepted by another app, even if they share a key document", async () => {
    const app = await service.newApp();
    const { document, issuer, audience } = app;
    const otherIssuer = await service.newApp({ document, oidc: { audience } });
    const otherAudience = await service.newApp({ document, oidc: { issuer } });
    const stranger = await service.newApp({ keys: [generateKey("ES256", { kid: "k" })], oidc: { issuer, audience } });
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    expect(await otherIssuer.outcomeOf(app.token())).toBe("jwt_invalid_issuer");
    expect(await otherAudience.outcomeOf(app.token())).toBe("jwt_invalid_audience");
    expect(await stranger.outcomeOf(app.token())).toBe("jwt_invalid_signature");
  });

  test("cannot choose the tenant or another user", async () => {
    const app = await service.newApp();
    const headers = { ...app.headers(app.token({ tenant_id: newTenant() })), "x-tenant-id": newTenant() };
    expect((await service.latchkey.call(VERIFY, {}, headers)).json.tenant_id).toBe(app.tenant);
    for (const user of ["user_1", "user_2", "", "a, b"]) {
      const acting = { ...app.headers(), "x-on-behalf-of": user };
      expect(reasonOf(await service.latchkey.call(VERIFY, {}, acting))).toBe("insufficient_scope");
    }
  });
});

describe("the user id", () => {
  // threat: J14
  test.each([
    ...[undefined, null, "", " ", "\t", 5, 0, true, ["u"], [], { id: "u" }, {}],
    ...["x".repeat(257), "x".repeat(5_000), "😀".repeat(257), "a\u0000b", "a\nb", "\ud800"],
  ])("is not found in a sub of %j", async (sub) => {
    const app = await service.newApp();
    expect(await app.outcomeOf(app.token({ sub }))).toBe("user_id_claim_not_found");
  });

  // threat: J15
  test.each(["__proto__", "constructor", "toString", "constructor.name", "sub.length", "sub.0", "aud.0", "user.id"])(
    "is not found in an inherited %s",
    async (userIdClaim) => {
      const app = await service.newApp({ oidc: { userIdClaim } });
      expect(await app.outcomeOf(app.token({ aud: [app.audience], user: "u" }))).toBe("user_id_claim_not_found");
      const spelledOut = JSON.stringify(app.claims()).replace("{", `{"${userIdClaim}":"me",`);
      const answer = await app.verify(signToken(USER_KEY, spelledOut));
      expect(answer.json.user_id).toBe("me");
    },
  );
});

describe("required claims", () => {
  const inherited: readonly Record<string, string>[] = [
    { "constructor.name": "Object" },
    { "__proto__.x": "y" },
    { "sub.length": "6" },
    { "a.toString.name": "toString" },
    { toString: "function toString() { [native code] }" },
    { "list.0": "admin" },
    { "list.length": "1" },
    { role: "" },
  ];

  // threat: J16
  test.each(inherited)(
    "%j are not satisfied by inherited members, nor by parts of texts and lists",
    async (requiredClaims) => {
      const app = await service.newApp({ oidc: { requiredClaims } });
      expect(await app.outcomeOf(app.token({ a: {}, list: ["admin"] }))).toBe("jwt_malformed");
    },
  );

  test.each([
    [{ "a.b": "1" }, { a: { b: 1 } }],
    [{ "a.b": "1" }, { a: { b: ["1"] } }],
    [{ "a.b": "1" }, { a: [{ b: "1" }] }],
    [{ "a.b": "1" }, { "a.b": { toString: "1" }, a: { b: "1" } }],
    [{ "a.b": "1" }, { "a.b": "2", a: { b: "1" } }],
    [{ role: "admin" }, { role: ["admin"] }],
    [{ role: "admin" }, { role: "Admin" }],
    [{ role: "admin" }, { role: "admin " }],
    [{ role: "true" }, { role: true }],
    [{ role: "null" }, { role: null }],
    [{ role: "admin", tier: "gold" }, { role: "admin" }],
  ])("%j are not satisfied by %j", async (requiredClaims, claims) => {
    const app = await service.newApp({ oidc: { requiredClaims } });
    const answer = await app.verify(app.token(claims));
    expect(reasonOf(answer)).toBe("jwt_malformed");
    expect(answer.json.message).toContain(`required claim ${Object.keys(requiredClaims).at(-1)};`);
  });
});

describe("two credential headers", () => {
  // threat: J21
  test("beside a publishable key are denied, even if one is valid", async () => {
    const app = await service.newApp();
    const [good, bad] = [`Authorization: Bearer ${app.token()}`, "Authorization: Bearer x.y.z"];
    const key = `X-API-Key: ${app.keyHeader["x-api-key"]}`;
    const raw = async (...lines: string[]) => {
      const head = [`POST ${VERIFY} HTTP/1.1`, "Host: x", "Content-Type: application/json", "Content-Length: 2"];
      const answer = await sendRaw(
        service.latchkey.url,
        `${[...head, "Connection: close", ...lines].join("\r\n")}\r\n\r\n{}`,
      );
      return /^HTTP\/1.1 200/.test(answer) ? "admitted" : /"denial_reason":"(\w+)"/.exec(answer)?.[1];
    };
    expect(await raw(key, good)).toBe("admitted");
    for (const lines of [
      [good, bad],
      [bad, good],
      [good, good],
    ]) {
      expect(await raw(key, ...lines)).toBe("jwt_malformed");
    }
    expect(await raw(key, key, good)).toBe("api_key_invalid");
  });
});

test("no log line contains a user's token, a publishable key or a provider's answer", async () => {
  const app = await service.newApp();
  app.document.respond = (_req, res) => res.writeHead(500).end("secret answer");
  const token = app.token();
  for (const sent of [token, `${token}x`, token.slice(0, -5)]) await app.verify(sent);
  const log = service.latchkey.logLines.join("\n");
  const [, payload = "", signature = ""] = token.split(".");
  const secrets = [payload, signature.slice(0, 40), app.keyHeader["x-api-key"].slice(12), "secret answer"];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});

test("no log line contains a key or a token that was pasted into a jwksUrl, as the host or within the path", async () => {
  const pasted = makeSecret("secret");
  const app = await service.newApp({ oidc: { jwksUrl: `https://${pasted}.invalid/jwks` } });
  const other = await service.newApp({ oidc: { jwksUrl: `https://provider.invalid/${app.token()}/jwks` } });
  const line = service.latchkey.logLines.length;
  for (const each of [app, other]) expect(reasonOf(await each.verify())).toBe("verifier_error");
  const log = service.latchkey.logLines.slice(line).join("");
  expect(log).toContain('"jwks_url":"https://....invalid/jwks"');
  expect(log).toContain('"jwks_url":"https://provider.invalid/.../jwks"');
  for (const part of [pasted.slice(3, 19), app.token().slice(0, 16)])
    expect(log.toLowerCase()).not.toContain(part.toLowerCase());
});

test("a provider that fails is logged once, with the tenant and the URL, however many foreign tokens arrive", async () => {
  service.latchkey.clock.stand();
  const app = await service.newApp();
  const { respond } = app.document;
  app.document.respond = (_req, res) => res.writeHead(500).end();
  const lines = () =>
    service.latchkey.logLines.filter((line) => line.includes(app.document.url) && line.includes(app.tenant));
  for (let n = 0; n < 20; n++) expect(reasonOf(await app.verify())).toBe("verifier_error");
  expect(lines()).toHaveLength(1);
  expect(lines()[0]).toContain('"level":50');
  expect(lines()[0]).toContain('"trouble":"the answer has the status 500"');
  expect(lines()[0]?.length).toBeLessThan(400);
  expect(service.latchkey.logLines.filter((line) => line.includes(app.keyId) && line.includes('"level":50'))).toEqual(
    [],
  );
  app.document.respond = respond;
  service.latchkey.clock.advance(5_000);
  expect(reasonOf(await app.verify())).toBe("admitted");
  expect(lines()).toHaveLength(2);
});

if (HAS_WYCHEPROOF) {
  // threat: J23
  describe("Wycheproof, each vector's key at the jwksUrl of a publishable key", () => {
    test.each(wycheproofVectors())("$name", async ({ keys, token, denials, isSignatureValid }) => {
      const app = await service.newApp({ document: service.keyHost.document(...keys) });
      const { status, json } = await app.verify(token);
      expect(status).toBe(401);
      // Of an empty token only the word Bearer arrives.
      expect(token === "" ? ["publishable_key_requires_jwt"] : denials).toContain(json.denial_reason);
      expect(json.message.includes("payload")).toBe(isSignatureValid);
    });

    test("is complete", () => {
      const vectors = wycheproofVectors();
      expect(vectors).toHaveLength(401 + 26 + 83 + 139);
      expect(vectors.filter(({ isSignatureValid }) => isSignatureValid).length).toBeGreaterThan(30);
    });
  });
}
