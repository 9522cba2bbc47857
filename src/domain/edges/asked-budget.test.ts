import { expect, test } from "vitest";
import { checkMost, readBudget, readSpending } from "./asked-budget.ts";
import { encode } from "./wire.ts";

const CAPS = { requestsPerMinute: 1, requestsPerHour: 2_147_483_647, burstSize: 0 };

test("limits and spendings of keys are read as they were written", () => {
  for (const limit of [CAPS, { ...CAPS, perUser: CAPS }])
    expect(readBudget("key_0f", encode(limit))).toEqual({ budgetId: "key_0f", limit });
  for (const spending of [{}, { isShared: true }, { cost: 1_000, user: "u", tenant: "t", isShared: false }])
    expect(readSpending(encode(spending))).toEqual(spending);
});

test.each<[string, unknown]>([
  ["limit", "{"],
  ["limit", "null"],
  ["limit", "[]"],
  ["limit.burstSize", { ...CAPS, burstSize: undefined }],
  ["limit.requestsPerMinute", { ...CAPS, requestsPerMinute: -1 }],
  ["limit.requestsPerHour", { ...CAPS, requestsPerHour: 2_147_483_648 }],
  ["limit.burstSize", { ...CAPS, burstSize: 0.5 }],
  ["limit.burstSize", { ...CAPS, burstSize: "1" }],
  ["limit.perUser", { ...CAPS, perUser: null }],
  ["limit.perUser", { ...CAPS, perUser: { ...CAPS, burstSize: -1 } }],
])("a limit that no key has is named: %s of %j", (field, limit) => {
  const text = typeof limit === "string" ? limit : encode(limit);
  expect(() => readBudget("key_0f", text)).toThrow(`${field}: `);
});

test.each<[string, unknown]>([
  ["spending.cost", { cost: 0 }],
  ["spending.cost", { cost: -1_000 }],
  ["spending.cost", { cost: 1_001 }],
  ["spending.cost", { cost: 1.5 }],
  ["spending.user", { user: null }],
  ["spending.tenant", { tenant: 1 }],
  ["spending.isShared", { isShared: 1 }],
  ["spending", []],
])("a spending that no request has is named: %s of %j", (field, spending) => {
  expect(() => readSpending(encode(spending))).toThrow(`${field}: `);
});

test.each(["", "key 1", "key\0", "{key}", "k".repeat(65)])(
  "anything but the identifier of a key is refused: %j",
  (budgetId) => {
    expect(() => readBudget(budgetId, encode(CAPS))).toThrow("budget_id: ");
  },
);

test("a slice of fewer than no requests is refused", () => {
  expect(() => checkMost(-1)).toThrow("most: ");
  expect(() => checkMost(0)).not.toThrow();
});
