// promise: oidc.form, callers.ids, tokens.algorithms, tokens.compared, tokens.claims
import { beforeAll, describe, expect, test } from "vitest";
import { startKeyHost } from "../harness/key-host.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { bearer, type PublishableService, reasonOf, sharedPublishable, USER_KEY } from "../harness/publishable.ts";
import { RPCS, USER_MESSAGE } from "../harness/rpcs.ts";
import { storedPublishableKey } from "../harness/stored-key.ts";
import { generateKey, signToken } from "../jwks/provider.ts";

const GATEWAY = "/api/v1/llm/gateway";

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

describe("a publishable key with its user's token", () => {
  test.each(RPCS.filter(({ callers }) => callers === "anyone"))("is admitted to $path", async (rpc) => {
    const app = await service.newApp();
    for (const path of [rpc.path, rpc.procedure]) {
      const { status, json } = await service.latchkey.call(path, rpc.body(""), app.headers());
      // The conversation does not exist yet: the call has passed the gate.
      expect([200, 404]).toContain(status);
      expect(json.denial_reason).toBeUndefined();
    }
  });

  test("is a user of the key's tenant with the key's scopes", async () => {
    const app = await service.newApp({ fields: { permissions: ["plans:read"] } });
    expect((await app.verify(app.token({ sub: "auth0|5f7c", tenant_id: "another" }))).json).toEqual({
      caller: "CALLER_PUBLISHABLE_KEY",
      tenant_id: app.tenant,
      key_id: app.keyId,
      user_id: "auth0|5f7c",
      permissions: ["plans:read"],
      acting_for: "",
      rate_limit: { limit: 2_147_483_647, remaining: 2_147_483_647, reset_at: expect.any(String) },
    });
  });

  test("spends one request for each call, and counts as successful", async () => {
    const app = await service.newApp({ fields: { rate_limit: { requests_per_minute: 3 } } });
    for (const remaining of ["2", "1", "0"]) {
      expect((await app.verify()).headers.get("x-ratelimit-remaining")).toBe(remaining);
    }
    expect(await app.outcomeOf(app.token())).toBe("rate_limited");
    const usage = await dashboardOf(service.latchkey, app.tenant).result("usage", { key_id: app.keyId });
    expect(usage).toEqual({ total_verifications: 4, successful_verifications: 3, failed_verifications: 1 });
  });

  test("has its own conversations, even under the conversation_key of another user's", async () => {
    const app = await service.newApp();
    const send = (user: string) =>
      service.latchkey.call(
        `${GATEWAY}/send-message`,
        { conversation_key: "same", user_message: USER_MESSAGE },
        app.headers(app.token({ sub: user })),
      );
    const threads = async (user: string) =>
      (await service.latchkey.call(`${GATEWAY}/list-threads`, {}, app.headers(app.token({ sub: user })))).json;
    for (const user of ["u1", "u2", "u2"]) expect((await send(user)).status).toBe(200);
    expect((await threads("u1")).threads).toMatchObject([{ conversation_key: "same", user_id: "u1" }]);
    expect((await threads("u2")).threads).toMatchObject([{ conversation_key: "same", user_id: "u2" }]);
    expect((await threads("u3")).pagination.total).toBe(0);
  });

  // threat: J20
  test.each(["bearer", "BEARER", "BeArEr"])("may spell the scheme %s", async (scheme) => {
    const app = await service.newApp();
    const headers = { ...app.keyHeader, authorization: `${scheme} ${app.token()}` };
    expect(reasonOf(await service.latchkey.call("/api/v1/auth/verify", {}, headers))).toBe("admitted");
  });
});

describe("a token", () => {
  test.each([
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
    ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
  ])("may be signed with %s", async (alg) => {
    const app = await service.newApp({ keys: [generateKey(alg, { kid: "k", alg, use: "sig" })] });
    expect(await app.outcomeOf(app.token())).toBe("admitted");
  });

  test("may have several audiences, no kid and a distant expiry", async () => {
    const app = await service.newApp();
    expect(await app.outcomeOf(app.token({ aud: ["other", app.audience] }))).toBe("admitted");
    expect(await app.outcomeOf(app.token({}, undefined, { kid: undefined }))).toBe("admitted");
    expect(await app.outcomeOf(app.token({ exp: 2 ** 53 - 1, iat: undefined }))).toBe("admitted");
  });

  test("may be 2 s late and 5 s early, as clocks differ", async () => {
    const app = await service.newApp();
    // So that the provider's keys are known: time goes on meanwhile. `token-checks.test.ts` has the exact 5 s.
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    const nowS = Number(app.claims().iat);
    expect(await app.outcomeOf(app.token({ exp: nowS - 2 }))).toBe("admitted");
    expect(await app.outcomeOf(app.token({ nbf: nowS + 5 }))).toBe("admitted");
  });

  // threat: J19
  test("may have 8 KiB", async () => {
    const app = await service.newApp();
    const token = app.token({ groups: "x".repeat(5_800) });
    expect(token.length).toBeGreaterThan(8_000);
    expect(await app.outcomeOf(token)).toBe("admitted");
  });
});

describe("the user id", () => {
  test.each([
    ["email", { email: "me@example.com" }, "me@example.com"],
    ["https://app.example/id", { "https://app.example/id": "u" }, "u"],
    ["user.id", { user: { id: "nested" } }, "nested"],
    ["user.id", { "user.id": "literal", user: { id: "nested" } }, "literal"],
    ["sub", { sub: "x".repeat(256) }, "x".repeat(256)],
    ["sub", { sub: "😀".repeat(256) }, "😀".repeat(256)],
    ["sub", { sub: " Müller 😀 " }, " Müller 😀 "],
  ])("is the value of the claim %s", async (userIdClaim, claims, user) => {
    const app = await service.newApp({ oidc: { userIdClaim } });
    expect((await app.verify(app.token(claims))).json.user_id).toBe(user);
  });
});

describe("required claims", () => {
  test.each([
    [{ role: "admin" }, { role: "admin" }],
    [{ "https://app.example/role": "admin" }, { "https://app.example/role": "admin" }],
    [
      { "realm.roles.app": "admin", tier: "" },
      { realm: { roles: { app: "admin" } }, tier: "" },
    ],
    [{ "a.b": "1" }, { "a.b": "1", a: { b: "2" } }],
  ])("%j are satisfied by %j", async (requiredClaims, claims) => {
    const app = await service.newApp({ oidc: { requiredClaims } });
    expect(await app.outcomeOf(app.token(claims))).toBe("admitted");
    expect(await app.outcomeOf(app.token())).toBe("jwt_malformed");
  });

  test("of an existing key beyond the limits of new keys are checked, and shown", async () => {
    const keyHost = await startKeyHost();
    const { url: jwksUrl } = keyHost.document(USER_KEY.jwk);
    const group = "\u{1f600}".repeat(250);
    const members = Array.from({ length: 32 }, (_, n) => [`c${n}`, "v"] as const);
    const requiredClaims = Object.fromEntries(members.map(([name, value]) => [`${group}.${name}`, value]));
    const [issuer, audience] = ["https://idp.example", "app"];
    const oidc = { issuer, audience, jwksUrl, userIdClaim: "sub", requiredClaims };
    expect(JSON.stringify(oidc).length).toBeGreaterThan(16_384);
    const { secret, tenant, stored } = storedPublishableKey({ oidc });
    const latchkey = await startLatchkey({ config: { jwksAllowedHosts: [keyHost.host] }, storedKeys: [stored] });
    const exp = latchkey.clock.now().getTime() / 1_000 + 60;
    const user = { iss: issuer, aud: audience, sub: "u", exp };
    const outcomeOf = (claims: Record<string, unknown>) =>
      latchkey
        .call("/api/v1/auth/verify", {}, { "x-api-key": secret, ...bearer(signToken(USER_KEY, claims)) })
        .then(reasonOf);
    expect(await outcomeOf({ ...user, [group]: Object.fromEntries(members) })).toBe("admitted");
    expect(await outcomeOf(user)).toBe("jwt_malformed");
    const dashboard = dashboardOf(latchkey, tenant);
    const { key_id } = await dashboard.result("update", {
      key_id: stored.record.keyId,
      name: "n",
      update_mask: "name",
    });
    expect((await dashboard.result("get", { key_id })).publishableConfig).toEqual({ oidc });
    expect((await dashboard.call("list", {})).json.keys).toMatchObject([{ key_id, publishableConfig: { oidc } }]);
    await latchkey.close();
    await keyHost.close();
  });
});
