// promise: operator.find
import { describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";
import { newKey } from "../store/records.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const find = (body: object) => operator.answer("keys/find", body);
const idsOf = ({ keys }: JsonObject): string[] => keys.map(({ key_id }: JsonObject) => key_id);
const ONE = { total: 1, page: 1, per_page: 20, total_pages: 1 };
const NONE = { keys: [], pagination: { total: 0, page: 1, per_page: 20, total_pages: 0 }, next_page_token: "" };

describe("a key of any tenant is found", () => {
  test("by its id, by its beginning and by itself, with its tenant and as its tenant sees it", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id, key_prefix } = await dashboard.createKey({ description: "a note" });
    await useKey(latchkey, key);
    const seen = await dashboard.result("get", { key_id });
    for (const body of [{ key_id }, { key_prefix }, { key }]) {
      expect(await find(body)).toEqual({
        keys: [{ ...seen, tenant_id: dashboard.tenant, tenant_suspended: false }],
        pagination: ONE,
        next_page_token: "",
      });
    }
  });

  test("where it is publishable", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(PUBLISHABLE);
    const { keys } = await find({ key });
    expect(keys).toMatchObject([{ key_id, keyType: "KEY_TYPE_PUBLISHABLE", tenant_id: dashboard.tenant }]);
  });

  test.each([
    ["disabled", "disable", "KEY_STATUS_DISABLED"],
    ["revoked", "revoke", "KEY_STATUS_REVOKED"],
  ] as const)("where it is %s", async (_, verb, status) => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await dashboard.result(verb, { key_id });
    for (const body of [{ key_id }, { key }]) expect((await find(body)).keys).toMatchObject([{ key_id, status }]);
  });

  test("where it is expired", async () => {
    const dashboard = dashboardOf(latchkey);
    const expires_at = new Date(latchkey.clock.now().getTime() + HOUR).toISOString();
    const { key, key_id } = await dashboard.createKey({ expires_at });
    latchkey.clock.advance(HOUR);
    expect((await find({ key })).keys).toMatchObject([{ key_id, status: "KEY_STATUS_EXPIRED" }]);
  });

  test("where its tenant is suspended, and the answer says so", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await operator.answer("tenants/suspend", { tenant_id: dashboard.tenant });
    expect((await find({ key_id })).keys).toMatchObject([{ status: "KEY_STATUS_ACTIVE", tenant_suspended: true }]);
    await operator.answer("tenants/resume", { tenant_id: dashboard.tenant });
    expect((await find({ key_id })).keys).toMatchObject([{ tenant_suspended: false }]);
  });
});

test("a tenant is not shown its own name or state by its own lists", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  for (const record of [await dashboard.result("get", { key_id }), (await dashboard.call("list", {})).json.keys[0]]) {
    expect(Object.keys(record).filter((name) => name.startsWith("tenant"))).toEqual([]);
  }
});

describe("a text that is not a key is not found, without an error:", () => {
  test.each([
    ["an unknown id", { key_id: `key_${"0".repeat(32)}` }],
    ["a malformed id", { key_id: "' or '1'='1" }],
    ["an id that is too long to be one", { key_id: "k".repeat(200) }],
    ["an unknown beginning", { key_prefix: "sk_000000000" }],
  ])("%s", async (_, body) => {
    expect(await find(body)).toEqual(NONE);
  });
});

describe("key_prefix", () => {
  test.each([6, 11, 12, 13, 39])("may have %i characters, of which the first 12 are compared", async (length) => {
    const { key, key_id } = await latchkey.createKey(await latchkey.dashboard());
    expect(idsOf(await find({ key_prefix: key.slice(0, length), per_page: 100 }))).toContain(key_id);
  });

  test("finds keys of all tenants, newest first, page by page", async () => {
    const prefix = "sk_SamePrefi";
    const tenants = [newTenant(), newTenant()];
    const stored = Array.from({ length: 5 }, (_, n) => ({
      ...newKey({
        keyId: newId("key"),
        tenantId: tenants[n % 2] ?? "",
        secretPrefix: prefix,
        createdAt: new Date(Date.UTC(2026, 0, 1 + n)),
      }),
    }));
    const own = await startLatchkey({ storedKeys: stored });
    const search = (body: object) => operatorOf(own).answer("keys/find", body);
    const newestFirst = stored.map(({ record }) => record.keyId).toReversed();

    const whole = await search({ key_prefix: prefix });
    expect(idsOf(whole)).toEqual(newestFirst);
    expect(new Set(whole.keys.map(({ tenant_id }: JsonObject) => tenant_id))).toEqual(new Set(tenants));
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await search({ key_prefix: prefix.slice(0, 8), page, per_page: 2 }));
    expect(pages.map(({ keys }) => keys.length)).toEqual([2, 2, 1, 0]);
    expect(pages.flatMap(idsOf)).toEqual(newestFirst);
    expect(pages.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3, 4].map((page) => ({ total: 5, page, per_page: 2, total_pages: 3 })),
    );
    expect((await search({ key_prefix: "sk_sameprefi" })).keys).toEqual([]);
    await own.close();
  });

  test("of a secret key finds no publishable one with the same letters", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    expect((await find({ key_prefix: `pk_${key.slice(3, 12)}` })).keys).toEqual([]);
  });
});
