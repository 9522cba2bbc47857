// promise: requests.recent, access.spends
import { describe, expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { explain, requestIdOf, requestsOf, verifyWith } from "../harness/recent-requests.ts";

const latchkey = await sharedLatchkey();
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** A key, and the ids of as many of its denied requests. */
async function deniedKey(count: number, tenant = newTenant()) {
  const dashboard = await latchkey.dashboard(tenant);
  const { key, key_id } = await latchkey.createKey(dashboard, { permissions: ["plans:read"] });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await verifyWith(latchkey, key, { scope: "plans:write" }));
  return { tenant, key, key_id, ids };
}

const idsOf = (requests: readonly { request_id?: string }[]) => requests.map(({ request_id }) => request_id);

describe("a request", () => {
  test("that is denied says which key, from where, what it asked for, and why", async () => {
    const { tenant, key_id, ids } = await deniedKey(1);
    expect(await requestsOf(latchkey, tenant)).toEqual([
      {
        request_id: ids[0],
        at: INSTANT,
        caller: "secret_key",
        key_id,
        user_id: "",
        address: "127.0.0.1",
        rpc: "latchkey.v1.AuthService/Verify",
        scope: "plans:write",
        verdict: "denied",
        reason: "insufficient_scope",
        message:
          "This API key lacks the scope plans:write; use a key that has it, or add it to this key's permissions.",
      },
    ]);
  });

  test("that is admitted is a sample: one a minute of each key", async () => {
    const own = await startLatchkey();
    try {
      const tenant = newTenant();
      const { key, key_id } = await own.createKey(await own.dashboard(tenant), { permissions: ["conversations:*"] });
      const list = () =>
        own.call("/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key, "x-request-id": "req_admitted" });
      for (let n = 0; n < 5; n++) expect((await list()).status).toBe(200);
      const [only, ...more] = await requestsOf(own, tenant);
      expect(more).toEqual([]);
      expect(only).toMatchObject({ request_id: "req_admitted", key_id, verdict: "admitted", reason: "", message: "" });
      expect(only).toMatchObject({ rpc: "latchkey.v1.GatewayService/ListThreads", scope: "conversations:read" });
      own.clock.advance(60_000);
      // Its uses are stored before, so that the next one is a first one again.
      await own.call("/api/v1/api-keys/usage", { key_id }, await own.dashboard(tenant));
      await list();
      expect(await requestsOf(own, tenant)).toHaveLength(2);
    } finally {
      await own.close();
    }
  });

  test("of a wrong path, with a key, failed", async () => {
    const { tenant, key, key_id } = await deniedKey(0);
    const answer = await latchkey.call("/api/v1/api-keys/nothing", {}, { "x-api-key": key });
    expect(answer.status).toBe(404);
    expect(await requestsOf(latchkey, tenant)).toMatchObject([
      { request_id: requestIdOf(answer), key_id, verdict: "failed", reason: "not_found", rpc: "" },
    ]);
  });

  test("of an app's user has the user, and that of a dashboard user has no key", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key } = await dashboard.createKey(PUBLISHABLE);
    await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    const authorization = `Bearer ${await latchkey.dashboardToken({ tenant_id: dashboard.tenant, sub: "jo" })}`;
    await latchkey.call("/api/v1/operator/tenants/list", {}, { authorization });
    expect(await requestsOf(latchkey, dashboard.tenant)).toMatchObject([
      { caller: "dashboard_user", user_id: "jo", key_id: "", reason: "insufficient_scope", scope: "system:*" },
      { caller: "publishable_key", user_id: "", reason: "publishable_key_requires_jwt" },
    ]);
  });

  test("of /auth/check is there, too", async () => {
    const { tenant, key } = await deniedKey(0);
    await fetch(`${latchkey.url}/auth/check?scope=plans:write`, { headers: { "x-api-key": key } });
    expect(await requestsOf(latchkey, tenant)).toMatchObject([{ rpc: "auth/check", scope: "plans:write" }]);
  });
});

describe("the list", () => {
  test("is newest first, and its pages have each request once, while others are added", async () => {
    const { tenant, key, ids } = await deniedKey(5);
    const seen: unknown[] = [];
    let page_token = "";
    do {
      const { json } = await latchkey.call(
        "/api/v1/requests/list",
        { page_token, per_page: 2 },
        await latchkey.dashboard(tenant),
      );
      seen.push(...idsOf(json.requests));
      page_token = json.next_page_token;
      latchkey.clock.advance(1);
      await verifyWith(latchkey, key, { scope: "plans:write" });
    } while (page_token !== "");
    expect(seen).toEqual(ids.toReversed());
  });

  test("is filtered by key, verdict, reason, time and request", async () => {
    const { tenant, key_id, ids } = await deniedKey(1);
    latchkey.clock.advance(1_000);
    const other = await deniedKey(0, tenant);
    const dashboard = await latchkey.dashboard(tenant);
    await latchkey.call("/api/v1/api-keys/revoke", { key_id: other.key_id }, dashboard);
    const revoked = await verifyWith(latchkey, other.key);
    const wrong = requestIdOf(await latchkey.call("/api/v1/nothing", {}, { "x-api-key": other.key }));
    const found = async (body: object) => idsOf(await requestsOf(latchkey, tenant, body));
    expect(await found({})).toEqual([wrong, revoked, ids[0]]);
    expect(await found({ key_id })).toEqual(ids);
    expect(await found({ verdict: "denied" })).toEqual([revoked, ids[0]]);
    expect(await found({ verdict: "failed" })).toEqual([wrong]);
    expect(await found({ verdict: "admitted" })).toEqual([]);
    expect(await found({ reason: "api_key_revoked" })).toEqual([revoked]);
    expect(await found({ request_id: ids[0] })).toEqual(ids);
    const [, second] = await requestsOf(latchkey, tenant);
    expect(await found({ from: second?.at })).toEqual([wrong, revoked]);
    expect(await found({ to: second?.at })).toEqual(ids);
  });

  test("is filtered by the token that was sent in place of the key", async () => {
    const { tenant, key_id, derive } = await derivingKey(latchkey);
    const [one, other] = [await derive({ scopes: ["plans:read"] }), await derive({ scopes: ["plans:read"] })];
    const verify = async (token: string) =>
      requestIdOf(
        await latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, { authorization: `Bearer ${token}` }),
      );
    const [first] = [await verify(one.token), await verify(other.token)];
    await latchkey.call("/api/v1/tokens/revoke", { token_id: one.token_id }, await latchkey.dashboard(tenant));
    const revoked = await verify(one.token);
    const found = await requestsOf(latchkey, tenant, { token_id: one.token_id });
    expect(idsOf(found)).toEqual([revoked, first]);
    expect(found).toMatchObject([
      { key_id, token_id: one.token_id, caller: "secret_key", reason: "token_revoked" },
      { key_id, token_id: one.token_id, caller: "secret_key", reason: "insufficient_scope", scope: "plans:write" },
    ]);
    const { json } = await explain(latchkey, tenant, revoked);
    expect(json.result).toMatchObject({ denial_reason: "token_revoked", allowed: false, remedy: "Get a new one." });
    expect(json.result.steps.at(-1)).toMatchObject({ name: "status", passed: false });
    expect(await requestsOf(latchkey, tenant, { token_id: "tok_x" })).toEqual([]);
  });

  test("has the last 100 denials of a key, however many there were", async () => {
    const { tenant, key, key_id } = await deniedKey(0);
    const denied = () => verifyWith(latchkey, key, { scope: "plans:write" });
    // Each list stores 20 of a key.
    let all: string[] = [];
    for (let n = 0; n < 7; n++) {
      for (let m = 0; m < 20; m++) all.push(await denied());
      await requestsOf(latchkey, tenant);
    }
    all = all.slice(-100);
    const { json } = await latchkey.call(
      "/api/v1/requests/list",
      { per_page: 100, key_id },
      await latchkey.dashboard(tenant),
    );
    expect(idsOf(json.requests)).toEqual(all.toReversed());
    expect(json.next_page_token).toBe("");
  });

  test("can be read by a secret key with the scope", async () => {
    const { tenant, ids } = await deniedKey(1);
    const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["usage:read"] });
    const { json } = await latchkey.call("/api/v1/requests/list", { verdict: "denied" }, { "x-api-key": key });
    expect(idsOf(json.requests)).toEqual(ids);
  });
});
