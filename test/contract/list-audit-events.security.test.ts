// promise: audit.refusals, audit.pages
import { describe, expect, test } from "vitest";
import { allEvents, eventsOf, trail } from "../harness/audit.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();
const LIST = "/api/v1/audit/list";

describe("the audit trail is read", () => {
  test.each([
    ["owner", 200],
    ["admin", 200],
    ["developer", 403],
    ["viewer", 403],
  ])("by %s: %i", async (role, status) => {
    expect((await withRoles.call(LIST, {}, await withRoles.user(role))).status).toBe(status);
  });

  test("by no publishable key: none can have the scope", async () => {
    for (const scope of ["audit:read", "audit:*"]) {
      const { status } = await dashboardOf(latchkey).call("create", {
        name: "app",
        keyType: "KEY_TYPE_PUBLISHABLE",
        permissions: [scope],
      });
      expect(status).toBe(400);
    }
  });

  test("of only the caller's tenant, whatever the filter", async () => {
    const [one, two] = [dashboardOf(latchkey), dashboardOf(latchkey)];
    const { key_id } = await one.createKey();
    await two.createKey();
    expect(await eventsOf(latchkey, two.tenant, { target_id: key_id })).toEqual([]);
    for (const event of await eventsOf(latchkey, two.tenant)) expect(event.target_id).not.toBe(key_id);
    const headers = await latchkey.dashboard(two.tenant);
    expect((await latchkey.call(LIST, { tenant_id: one.tenant }, headers)).status).toBe(400);
  });

  test("of only the caller's tenant by the page token of another one's list", async () => {
    const [one, two] = [dashboardOf(latchkey), dashboardOf(latchkey)];
    for (let n = 0; n < 2; n++) await one.createKey();
    const { key_id } = await two.createKey();
    const first = await latchkey.call(LIST, { per_page: 1 }, await latchkey.dashboard(one.tenant));
    const page_token = first.json.next_page_token;
    for (const { target_id } of await eventsOf(latchkey, two.tenant, { page_token })) expect(target_id).toBe(key_id);
  });
});

describe("a refused change has an event", () => {
  test("for a caller who lacks the scope, with what was refused", async () => {
    const tenant = newTenant();
    const viewer = await withRoles.user("viewer", tenant);
    const { status } = await withRoles.call("/api/v1/api-keys/revoke", { key_id: "key_x" }, viewer);
    expect(status).toBe(403);
    const { json } = await withRoles.call(LIST, {}, await withRoles.user("owner", tenant));
    expect(json.events).toMatchObject([
      {
        action: "access.denied",
        target_id: "",
        changes: {},
        actor: { kind: "dashboard_user" },
        refusal: { rpc: "latchkey.v1.ApiKeyService/RevokeApiKey", reason: "insufficient_scope", count: 1 },
      },
    ]);
  });

  test("for a caller who grants what they do not have, and the change is not made", async () => {
    const tenant = newTenant();
    const developer = await withRoles.user("developer", tenant);
    const body = { name: "too much", permissions: ["billing:write"] };
    expect((await withRoles.call("/api/v1/api-keys/create", body, developer)).status).toBe(403);
    const { json } = await withRoles.call(LIST, {}, await withRoles.user("owner", tenant));
    expect(trail(json.events)).toEqual([["access.denied", ""]]);
  });

  test("for an API key where none may call", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ permissions: ["*"] });
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, { "x-api-key": key });
    const [event] = await eventsOf(latchkey, dashboard.tenant);
    expect(event).toMatchObject({ action: "access.denied", actor: { kind: "secret_key", key_id } });
  });

  test("at most ten times within a minute", async () => {
    const tenant = newTenant();
    const viewer = await withRoles.user("viewer", tenant);
    for (let n = 0; n < 30; n++) await withRoles.call("/api/v1/api-keys/revoke", { key_id: "key_x" }, viewer);
    const { json } = await withRoles.call(LIST, { per_page: 100 }, await withRoles.user("owner", tenant));
    expect(json.events).toHaveLength(10);
  });

  test("but not for a read, for a malformed request or without valid credentials", async () => {
    const tenant = newTenant();
    const stranger = await withRoles.user("unknown", tenant);
    await withRoles.call("/api/v1/api-keys/list", {}, stranger);
    await withRoles.call("/api/v1/api-keys/revoke", { key_id: 5 }, await withRoles.user("owner", tenant));
    await withRoles.call("/api/v1/api-keys/revoke", { key_id: "x" }, { authorization: "Bearer x.y.z" });
    const { json } = await withRoles.call(LIST, {}, await withRoles.user("owner", tenant));
    expect(json.events).toEqual([]);
  });

  test("of a caller without a tenant is the operator's to see", async () => {
    const sub = `user-${newTenant()}`;
    const token = await latchkey.dashboardToken({ sub, tenant_id: undefined });
    await latchkey.call("/api/v1/operator/tenants/suspend", { tenant_id: "t" }, { authorization: `Bearer ${token}` });
    const events = await allEvents(latchkey, { actor_id: sub });
    expect(trail(events)).toEqual([["access.denied", ""]]);
    expect(events[0]).not.toHaveProperty("tenant_id");
  });
});
