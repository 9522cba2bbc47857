// promise: access.derived, access.unstored
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const latchkey = await sharedLatchkey();

describe("a derived token", () => {
  test("is a JWT of this service for the calling key, for 15 minutes, with the scopes that were asked for", async () => {
    const key = await derivingKey(latchkey);
    const { token, ...others } = await key.derive({ scopes: ["conversations:read", "plans:read", "plans:read"] });
    expect(others).toEqual({
      token_id: expect.stringMatching(/^tok_[0-9a-f]{32}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      ...{ iss: TOKEN_ISSUER, aud: TOKEN_ISSUER, sub: key.key_id, client_id: key.key_id, tenant_id: key.tenant },
      ...{ scope: "conversations:read plans:read", jti: others.token_id },
      iat: expect.any(Number),
      exp: Date.parse(others.expires_at) / 1_000,
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
  });

  test("is verified by any JWT library with the published key set", async () => {
    const { token } = await (await derivingKey(latchkey)).derive({
      scopes: ["plans:read"],
      audience: "https://x.example",
    });
    const keys = createRemoteJWKSet(new URL(`${latchkey.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer: TOKEN_ISSUER, audience: "https://x.example", typ: "at+jwt", algorithms: ["ES256"] },
      currentDate: latchkey.clock.now(),
    });
    expect(payload.scope).toBe("plans:read");
  });

  test("has the life, the audience, the user and the confirmation that were asked for", async () => {
    const key = await derivingKey(latchkey, { permissions: ["plans:*", "users:impersonate"] });
    const confirmation_jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";
    const asked = { scopes: ["plans:*"], ttl_seconds: 60, user_id: "user-7", audience: "https://plans.example" };
    const claims = decodeJwt((await key.derive({ ...asked, confirmation_jkt })).token);
    expect(claims).toMatchObject({
      ...{ aud: "https://plans.example", scope: "plans:*", user_id: "user-7", act: { sub: key.key_id } },
      cnf: { jkt: confirmation_jkt },
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60);
  });

  test("acts for the user for whom the call is made, unless it names another form of the same", async () => {
    const key = await derivingKey(latchkey, { permissions: ["plans:*", "users:impersonate"] });
    const forUser = { "x-on-behalf-of": "user-7" };
    const tokens = [await key.derive({ scopes: ["plans:read"] }, forUser)];
    tokens.push(await key.derive({ scopes: ["plans:read"], user_id: "user-7" }, forUser));
    for (const { token } of tokens) expect(decodeJwt(token)).toMatchObject({ user_id: "user-7" });
  });

  test("ends with its key at the latest", async () => {
    const expiresAt = new Date(latchkey.clock.now().getTime() + 120_000);
    const key = await derivingKey(latchkey, { expires_at: expiresAt.toISOString() });
    const { token, expires_at } = await key.derive({ scopes: ["plans:read"], ttl_seconds: 3_600 });
    expect(Date.parse(expires_at)).toBe(Math.floor(expiresAt.getTime() / 1_000) * 1_000);
    expect(decodeJwt(token).exp).toBe(Math.floor(expiresAt.getTime() / 1_000));
  });

  test("may have a scope within a wildcard of its key, and all of it", async () => {
    const key = await derivingKey(latchkey, { permissions: ["*"] });
    for (const scopes of [["*"], ["billing:*"], ["api_keys:admin", "plans:read"]])
      expect(decodeJwt((await key.derive({ scopes })).token).scope).toBe(scopes.join(" "));
  });

  test("is in the audit trail, without the token", async () => {
    const key = await derivingKey(latchkey);
    const { token, token_id, expires_at } = await key.derive({ scopes: ["plans:read"] });
    const [event] = await eventsOf(latchkey, key.tenant, { action: "token.derived" });
    expect(event).toMatchObject({
      target_id: token_id,
      actor: { kind: "secret_key", key_id: key.key_id },
      changes: { key_id: { new: key.key_id }, scopes: { new: ["plans:read"] }, audience: { new: TOKEN_ISSUER } },
    });
    expect(Date.parse(event?.changes.expires_at.new)).toBe(Date.parse(expires_at));
    expect(JSON.stringify(event)).not.toContain(token.split(".")[2]);
  });

  test("is in no cache", async () => {
    const answer = await (await derivingKey(latchkey)).call({ scopes: ["plans:read"] });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
