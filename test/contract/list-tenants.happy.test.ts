// promise: operator.tenants
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type OperatorCalls, operatorOf } from "../harness/operator.ts";

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

let latchkey: Latchkey;
let operator: OperatorCalls;
/** The tenant of an organization, whose id the service has made. */
let acme: string;

/** Tenants of each origin: keys, an organization, a suspension, and users' tokens alone. */
beforeAll(async () => {
  latchkey = await startLatchkey();
  operator = operatorOf(latchkey);
  expect(await operator.answer("tenants/list", {})).toEqual({
    tenants: [],
    pagination: { total: 0, page: 1, per_page: 20, total_pages: 0 },
    next_page_token: "",
  });
  for (const tenant of ["a_tenant", "b_tenant", "b_tenant"]) {
    await operator.result("keys/create", { tenant_id: tenant, name: "a key", permissions: ["plans:read"] });
  }
  const { keys } = (await latchkey.call("/api/v1/api-keys/list", {}, await latchkey.dashboard("b_tenant"))).json;
  await operator.result("keys/revoke", { key_id: keys[0].key_id });
  const created = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, await latchkey.dashboard("seen"));
  acme = created.json.result.tenant_id;
  await operator.result("tenants/suspend", { tenant_id: "c_tenant", reason: "unpaid" });
  await operator.result("tenants/suspend", { tenant_id: "b_tenant" });
});

afterAll(() => latchkey.close());

const list = (body: object) => operator.answer("tenants/list", body);
const idsOf = ({ tenants }: JsonObject): string[] => tenants.map(({ tenant_id }: JsonObject) => tenant_id);

test("the list has every tenant with a key, an organization or a suspension, and no tenant that is only in tokens", async () => {
  const none = { name: "", key_count: 0, suspension_reason: "" };
  expect(await list({})).toEqual({
    tenants: [
      { ...none, tenant_id: "a_tenant", key_count: 1 },
      { ...none, tenant_id: "b_tenant", key_count: 2, suspended_at: INSTANT },
      { ...none, tenant_id: "c_tenant", suspended_at: INSTANT, suspension_reason: "unpaid" },
      { ...none, tenant_id: acme, name: "Acme" },
    ],
    pagination: { total: 4, page: 1, per_page: 20, total_pages: 1 },
    next_page_token: "",
  });
});

test("with only_suspended it has those that are suspended, with their own total", async () => {
  const page = await list({ only_suspended: true });
  expect(idsOf(page)).toEqual(["b_tenant", "c_tenant"]);
  expect(page.pagination).toEqual({ total: 2, page: 1, per_page: 20, total_pages: 1 });
  expect(idsOf(await list({ only_suspended: false }))).toHaveLength(4);
});

describe("pages", () => {
  test("together hold every tenant once, in the order of their ids", async () => {
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(await list({ page, per_page: 3 }));
    expect(pages.map(({ tenants }) => tenants.length)).toEqual([3, 1, 0]);
    expect(pages.flatMap(idsOf)).toEqual(["a_tenant", "b_tenant", "c_tenant", acme]);
    expect(pages.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3].map((page) => ({ total: 4, page, per_page: 3, total_pages: 2 })),
    );
  });

  test("of suspended tenants hold only these", async () => {
    const second = await list({ only_suspended: true, page: 2, per_page: 1 });
    expect(idsOf(second)).toEqual(["c_tenant"]);
    expect(second.pagination).toEqual({ total: 2, page: 2, per_page: 1, total_pages: 2 });
  });

  test("have at most 100 tenants, and the answer says so", async () => {
    expect((await list({ per_page: 1_000 })).pagination.per_page).toBe(100);
    expect((await list({ page: 2_147_483_647, per_page: 100 })).tenants).toEqual([]);
  });
});

test("a tenant that was known by its suspension alone is gone when it is resumed", async () => {
  await operator.result("tenants/suspend", { tenant_id: "d_tenant" });
  expect(idsOf(await list({}))).toContain("d_tenant");
  await operator.result("tenants/resume", { tenant_id: "d_tenant" });
  expect(idsOf(await list({}))).not.toContain("d_tenant");
});

test("ids that differ in their case are different tenants", async () => {
  for (const tenant of ["e_tenant", "E_tenant"]) await operator.result("tenants/suspend", { tenant_id: tenant });
  await operator.result("tenants/resume", { tenant_id: "e_tenant" });
  expect(idsOf(await list({ only_suspended: true }))).toContain("E_tenant");
  expect(idsOf(await list({ only_suspended: true }))).not.toContain("e_tenant");
  await operator.result("tenants/resume", { tenant_id: "E_tenant" });
});
