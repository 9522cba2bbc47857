import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { RPCS, type Rpc } from "../harness/rpcs.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

/** Asks for a denial on both paths of an RPC, and that it says the same on both. */
async function expectDenial(rpc: Rpc, headers: Record<string, string>, status: number, reason: string): Promise<void> {
  for (const path of [rpc.path, rpc.procedure]) {
    const answer = await latchkey.call(path, rpc.body("key_x"), headers);
    expect({ path, status: answer.status, reason: answer.json.denial_reason }).toEqual({ path, status, reason });
    expect(answer.json.message).toMatch(/\w/);
    expect(answer.json.details[0].type).toBe("latchkey.v1.Denial");
  }
}

describe.each(RPCS)("$path", (rpc) => {
  test("no credentials are answered missing_credentials", () => expectDenial(rpc, {}, 401, "missing_credentials"));

  test("a bad body without credentials is still answered 401", async () => {
    const answer = await latchkey.call(rpc.path, "{", {});
    expect(answer.json.denial_reason).toBe("missing_credentials");
  });

  test.each(["ak_x", "SK_abc", "sk-abc", "sk", "sk_", "", "sk_a, sk_b"])("the API key %j is invalid", (key) =>
    expectDenial(rpc, { "x-api-key": key }, 401, "api_key_invalid"),
  );

  test.each(["sk_unknown", `pk_${"a".repeat(36)}`, `sk_${"a".repeat(9_000)}`])("the API key %.20j is unknown", (key) =>
    expectDenial(rpc, { "x-api-key": key }, 401, "api_key_not_found"),
  );

  test("a revoked, a disabled and an expired key are each told so, in this order", async () => {
    const dashboard = await latchkey.dashboard(newTenant());
    const expiresAt = new Date(latchkey.clock.now().getTime() + 60_000).toISOString();
    const { key, key_id } = await latchkey.createKey(dashboard, { expires_at: expiresAt, permissions: ["*"] });
    latchkey.clock.advance(61_000);
    await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_expired");
    await latchkey.call("/api/v1/api-keys/disable", { key_id }, dashboard);
    await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_disabled");
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_revoked");
  });

  test("a revoked key beside a valid dashboard token is still revoked", async () => {
    const dashboard = await latchkey.dashboard(newTenant());
    const { key, key_id } = await latchkey.createKey(dashboard);
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    await expectDenial(rpc, { ...dashboard, "x-api-key": key }, 401, "api_key_revoked");
  });

  test("a key without the scope, or an API key where only users may call, lacks the scope", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"] });
    if (rpc.callers === "dashboard" || rpc.scope !== undefined) {
      await expectDenial(rpc, { "x-api-key": key }, 403, "insufficient_scope");
    } else {
      expect((await latchkey.call(rpc.path, rpc.body("key_x"), { "x-api-key": key })).status).toBe(200);
    }
  });

  test("X-On-Behalf-Of from a key without the scope or from a dashboard user is refused", async () => {
    const dashboard = await latchkey.dashboard();
    const { key } = await latchkey.createKey(dashboard, { permissions: ["conversations:*", "users:read"] });
    await expectDenial(rpc, { "x-api-key": key, "x-on-behalf-of": "u1" }, 403, "insufficient_scope");
    await expectDenial(rpc, { ...dashboard, "x-on-behalf-of": "u1" }, 403, "insufficient_scope");
  });

  test.each([undefined, "", " ", null, 5, ["t"], {}, "t".repeat(257), "a\nb"])(
    "a dashboard user with the tenant_id %j has no tenant",
    async (tenant) => {
      const token = await latchkey.dashboardToken({ tenant_id: tenant });
      const headers = { authorization: `Bearer ${token}` };
      if (rpc.path === "/api/v1/orgs/create") {
        expect((await latchkey.call(rpc.path, rpc.body(""), headers)).status).toBe(200);
      } else {
        await expectDenial(rpc, headers, 403, "tenant_required");
      }
    },
  );

  test("an expired dashboard token is expired", async () => {
    const now = new Date(latchkey.clock.now().getTime() - 2 * HOUR);
    const token = await latchkey.provider.sign({ sub: "u", tenant_id: "t" }, now);
    await expectDenial(rpc, { authorization: `Bearer ${token}` }, 401, "jwt_expired");
  });

  test.each(["Basic dTpw", "Bearer", "Bearer a b", "Bearer x.y", "Bearer a, Bearer b"])(
    "the Authorization %j is malformed",
    (authorization) => expectDenial(rpc, { authorization }, 401, "jwt_malformed"),
  );

  test("a key in Authorization is refused, and named nowhere in the log", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    await expectDenial(rpc, { authorization: `Bearer ${key}` }, 401, "jwt_malformed");
    expect(latchkey.logLines.join("")).not.toContain(key.slice(3, 20));
  });

  test("another path case, a trailing slash, a double slash and an encoded slash are 404", async () => {
    const headers = await latchkey.dashboard();
    const odd = [`${rpc.path}/`, `/${rpc.path}`, rpc.path.toUpperCase(), rpc.path.replace("/v1/", "%2fv1/")];
    for (const path of odd) expectNotFound(await latchkey.call(path, {}, headers));
  });

  test("a GET is 405 and names POST", async () => {
    const response = await fetch(latchkey.url + rpc.path);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.stringContaining("POST") });
  });

  test.each(["text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded"])(
    "the content type %s is 415, for who may call",
    async (type) => {
      await expectDenial(rpc, { "content-type": type }, 401, "missing_credentials");
      await expectDenial(rpc, { "content-type": type, "x-api-key": "nope" }, 401, "api_key_invalid");
      const headers = { ...(await latchkey.dashboard()), "content-type": type };
      const answer = await latchkey.call(rpc.path, "{}", headers);
      expect(answer.status).toBe(415);
      expect(answer.json.message).toContain("Content-Type");
    },
  );
});
