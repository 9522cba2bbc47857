// promise: suspension.unknown
// threat: K21
import { expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import type { TenantState } from "../../domain/tenants/tenant.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { cacheTenants } from "./cached-reads.ts";
import { NOWHERE } from "./invalidation.ts";
import { createRecordCache } from "./record-cache.ts";
import { createSoleProcessInvalidation } from "./sole-process.ts";
import { tenantSubject } from "./subjects.ts";

/** The suspensions of tenants, which counts how often it is read. A test may hold its reads back, or let them fail. */
class Table {
  readonly suspended = new Set<string>();
  reads = 0;
  gate: Promise<void> = Promise.resolve();

  async findTenant(tenantId: string): Promise<TenantState> {
    this.reads += 1;
    const isSuspended = this.suspended.has(tenantId);
    await this.gate;
    return { isSuspended };
  }
}

function cached(options: Parameters<typeof createRecordCache>[0] = {}) {
  const table = new Table();
  const cache = createRecordCache(options);
  const { findTenant } = cacheTenants(cache, table);
  return { table, cache, findTenant, isSuspended: async (id: string) => (await findTenant(id)).isSuspended };
}

test("both states are cached, each for its tenant", async () => {
  const { table, cache, isSuspended } = cached();
  table.suspended.add("one");
  for (let n = 0; n < 3; n++) expect([await isSuspended("one"), await isSuspended("other")]).toEqual([true, false]);
  expect(table.reads).toBe(2);
  expect(cache.usage.records).toBe(2);
});

test("a dropped or marked subject is read again, and those of other tenants and of keys are not", async () => {
  const { table, cache, isSuspended } = cached();
  await isSuspended("one");
  await isSuspended("other");
  table.suspended.add("one");
  cache.drop(newKey().secretHash);
  expect(await isSuspended("one")).toBe(false);
  cache.drop(tenantSubject("one"));
  expect([await isSuspended("one"), await isSuspended("other"), table.reads]).toEqual([true, false, 3]);
  cache.mark(tenantSubject("one"), "1");
  for (let n = 0; n < 2; n++) await isSuspended("one");
  expect(table.reads).toBe(5);
});

test.each([["before"], ["after"]])(
  "a key whose creator named the tenant's subject as its hash leaves the tenant's state as it is, when it is read %s",
  async (order) => {
    const { table, cache, isSuspended } = cached();
    table.suspended.add("one");
    const { record } = newKey();
    const keys = cache.inFrontOf({ findKeyBySecretHash: async () => record });
    const findKey = async () => expect(await keys.findKeyBySecretHash(tenantSubject("one"))).toEqual(record);
    if (order === "after") await isSuspended("one");
    await findKey();
    expect(await isSuspended("one")).toBe(true);
    await findKey();
  },
);

test("a read that a change has overtaken is not cached", async () => {
  const { table, cache, isSuspended } = cached();
  const { promise, resolve } = Promise.withResolvers<void>();
  table.gate = promise;
  const early = isSuspended("one");
  const change = await createSoleProcessInvalidation(cache).beginChange(tenantSubject("one"));
  table.suspended.add("one");
  await change.end(NOWHERE);
  resolve();
  expect(await early).toBe(false);
  expect(await isSuspended("one")).toBe(true);
});

test("the cache is not used while it may not be", async () => {
  let mayUse = true;
  const { table, isSuspended } = cached({ mayUse: () => mayUse });
  await isSuspended("one");
  table.suspended.add("one");
  mayUse = false;
  expect(await isSuspended("one")).toBe(true);
  mayUse = true;
  expect(await isSuspended("one")).toBe(false);
});

test("a thousand requests of a tenant that is not cached cost two reads, each begun after its request", async () => {
  const { table, isSuspended } = cached();
  const { promise, resolve } = Promise.withResolvers<void>();
  table.gate = promise;
  const first = isSuspended("one");
  table.suspended.add("one");
  const others = Array.from({ length: 999 }, () => isSuspended("one"));
  resolve();
  expect(await first).toBe(false);
  expect(new Set(await Promise.all(others))).toEqual(new Set([true]));
  expect(table.reads).toBe(2);
});

test("an error is the caller's, and is not cached", async () => {
  const { table, isSuspended } = cached();
  table.gate = Promise.reject(new StoreUnavailable("away"));
  await expect(isSuspended("one")).rejects.toThrow(StoreUnavailable);
  table.gate = Promise.resolve();
  expect(await isSuspended("one")).toBe(false);
});

test("a cached state is frozen, because many requests share it", async () => {
  const { findTenant } = cached();
  await findTenant("one");
  expect(Object.isFrozen(await findTenant("one"))).toBe(true);
});
