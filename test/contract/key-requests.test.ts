// promise: repeat.secrets
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const KEY = {
  name: "backend",
  permissions: ["conversations:read", "plans:write"],
  metadata: { plan: "pro", seats: 3 },
};
const DAY = 24 * HOUR;

describe("operator/keys/create with client_request_id", () => {
  test("makes one key of a tenant for the operator's token, whatever others of the tenant name so", async () => {
    const dashboard = dashboardOf(latchkey);
    const operator = operatorOf(latchkey);
    const body = { ...KEY, tenant_id: dashboard.tenant, client_request_id: "first" };
    const own = await dashboard.result("create", { ...KEY, client_request_id: "first" });
    const first = await operator.result("keys/create", body);
    expect(first.key_id).not.toBe(own.key_id);
    expect(await operator.result("keys/create", body)).toEqual({
      key_id: first.key_id,
      key: "",
      key_prefix: first.key_prefix,
      already_created: true,
    });
    const elsewhere = await operator.result("keys/create", { ...body, tenant_id: newTenant() });
    expect(elsewhere).not.toHaveProperty("already_created");
    const other = await operator.call("keys/create", { ...body, name: "another" });
    expect([other.status, other.json.reason]).toEqual([409, "client_request_id_reused"]);
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(2);
    expect(await useKey(latchkey, first.key)).toBe("admitted");
  });
});

describe("create with client_request_id", () => {
  test("answers a repeated call with the first one's key, without its value, and makes no second one", async () => {
    const dashboard = dashboardOf(latchkey);
    const body = { ...KEY, client_request_id: "deploy-7" };
    const first = await dashboard.result("create", body);
    expect(first.already_created).toBeUndefined();
    const again = await dashboard.call("create", { client_request_id: "deploy-7", ...KEY });
    expect(again.json).toEqual({
      result: { key_id: first.key_id, key: "", key_prefix: first.key_prefix, already_created: true },
    });
    expect(again.headers.get("cache-control")).toBe("no-store");
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(1);
    expect((await eventsOf(latchkey, dashboard.tenant)).map(({ action }) => action)).toEqual(["api_key.created"]);
    expect(await useKey(latchkey, first.key)).toBe("admitted");
  });

  test("makes one key for calls at once, also where the tenant may have no further one", async () => {
    const dashboard = dashboardOf(latchkey);
    const headers = await latchkey.dashboard(dashboard.tenant);
    const policy = { policy: { max_keys: 1 } };
    const set = await latchkey.call("/api/v1/api-keys/policy/set", policy, headers);
    expect(set.status, set.text).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => dashboard.call("create", { ...KEY, client_request_id: "x".repeat(128) })),
    );
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    expect(new Set(answers.map(({ json }) => json.result.key_id)).size).toBe(1);
    expect(answers.filter(({ json }) => json.result.key !== "")).toHaveLength(1);
  });

  test("with another body is 409 already_exists, and makes nothing", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.result("create", { ...KEY, client_request_id: "one" });
    for (const [method, body] of [
      ["create", { ...KEY, name: "another" }],
      ["create", { ...KEY, rate_limit: { requests_per_minute: 1 } }],
      ["create", { ...KEY, metadata: { plan: "pro", seats: 4 } }],
      ["rotate", { key_id }],
    ] as const) {
      const { status, json } = await dashboard.call(method, { ...body, client_request_id: "one" });
      expect({ status, code: json.code }).toEqual({ status: 409, code: "already_exists" });
      expect(json.message).toContain("client_request_id");
    }
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(1);
  });

  test("is only of its caller and their tenant", async () => {
    const dashboard = dashboardOf(latchkey);
    const body = { ...KEY, client_request_id: "mine" };
    const { key_id } = await dashboard.result("create", body);
    const other = {
      authorization: `Bearer ${await latchkey.dashboardToken({ sub: "b", tenant_id: dashboard.tenant })}`,
    };
    for (const answer of [
      await latchkey.call("/api/v1/api-keys/create", body, other),
      await dashboardOf(latchkey).call("create", body),
    ]) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json.result.key_id).not.toBe(key_id);
      expect(answer.json.result.key).toMatch(/^sk_/);
    }
  });

  test("answers the same after the key was revoked, and until 24 hours are over", async () => {
    const dashboard = dashboardOf(latchkey);
    const expires_at = new Date(latchkey.clock.now().getTime() + HOUR).toISOString();
    const create = () => dashboard.result("create", { ...KEY, expires_at, client_request_id: "daily" });
    const { key_id } = await create();
    await dashboard.result("revoke", { key_id });
    latchkey.clock.advance(DAY - 60 * SECOND);
    // What was allowed at the first call, such as that date, need not be allowed now.
    expect((await create()).key_id).toBe(key_id);
    latchkey.clock.advance(120 * SECOND);
    const next = await dashboard.result("create", { ...KEY, client_request_id: "daily" });
    expect(next.key_id).not.toBe(key_id);
    expect(next.key).toMatch(/^sk_/);
  });

  test("does nothing where it is empty, and is 400 with more than 128 characters", async () => {
    const dashboard = dashboardOf(latchkey);
    const create = (client_request_id: string) => dashboard.call("create", { ...KEY, client_request_id });
    expect((await create("")).json.result.key_id).not.toBe((await create("")).json.result.key_id);
    const { status, json } = await create("x".repeat(129));
    expect(status).toBe(400);
    expect(json.message).toContain("client_request_id");
  });
});

describe("rotate with client_request_id", () => {
  test("answers repeated calls, also at once, with the first one's successor, and rotates once", async () => {
    const dashboard = dashboardOf(latchkey);
    const old = await dashboard.createKey();
    const rotate = (body = {}) =>
      dashboard.call("rotate", { key_id: old.key_id, grace_period_hours: 0, client_request_id: "r1", ...body });
    const answers = await Promise.all([rotate(), rotate(), rotate(), rotate()]);
    answers.push(await rotate());
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    const ids = new Set(answers.map(({ json }) => json.result.key_id));
    expect(ids.size).toBe(1);
    const issued = answers.filter(({ json }) => json.result.key !== "");
    expect(issued).toHaveLength(1);
    expect(await useKey(latchkey, issued[0]?.json.result.key)).toBe("admitted");
    expect(await useKey(latchkey, old.key)).toBe("api_key_expired");
    expect((await dashboard.result("get", { key_id: old.key_id })).rotated_to).toBe([...ids][0]);
    expect((await rotate({ grace_period_hours: 1 })).json.code).toBe("already_exists");
    // Without the id, and with another one, a second rotation is what it was.
    for (const client_request_id of ["", "r2"]) {
      const { status, json } = await rotate({ client_request_id });
      expect({ status, code: json.code }).toEqual({ status: 400, code: "failed_precondition" });
      expect(json.message).toContain("rotated already");
    }
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(2);
  });

  test("treats an absent grace period as the 24 hours that it means", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const first = await dashboard.result("rotate", { key_id, client_request_id: "r1" });
    const again = await dashboard.result("rotate", { key_id, client_request_id: "r1", grace_period_hours: 24 });
    expect(again).toMatchObject({ key_id: first.key_id, already_created: true });
  });
});
