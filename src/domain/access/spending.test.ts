import { expect, test } from "vitest";
import { NOW, newKey } from "../../../test/harness/memory-keys.ts";
import type { RateLimit } from "../limits/caps.ts";
import { spendingOf } from "./spending.ts";

const CAPS = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };

function spending(tenantId: string, userId: string | null, rateLimit: RateLimit = { ...CAPS, perUser: CAPS }) {
  return spendingOf(newKey({ tenantId, rateLimit }).record, { userId, cost: 1 }, NOW);
}

test("the users of all keys of a tenant are counted together, under an id that is not the tenant's", () => {
  const { tenant } = spending("tenant-1", "u");
  expect(tenant).toMatch(/^[\w-]{22}$/);
  expect(spending("tenant-1", "u2").tenant).toBe(tenant);
  expect(spending("tenant-2", "u").tenant).not.toBe(tenant);
});

test("a request without a user, and a key without a limit for each, counts none", () => {
  for (const { user, tenant } of [spending("tenant-1", null), spending("tenant-1", "u", CAPS)])
    expect([user, tenant]).toEqual([undefined, undefined]);
});

test("a key shares its budget while another key of it is valid, and no longer", () => {
  const { record } = newKey({ rotatedTo: "key_successor", budgetId: "key_first", createdAt: NOW });
  const isShared = (sharedUntil: Date | undefined) =>
    spendingOf({ ...record, sharedUntil }, { userId: null, cost: 1 }, NOW).isShared;
  expect([undefined, NOW, new Date(NOW.getTime() + 1)].map(isShared)).toEqual([false, false, true]);
});
