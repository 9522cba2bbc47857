// promise: usage.tenant
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { HOUR } from "../harness/test-clock.ts";
import { countersOf, outcomesOf, usedSteps } from "../harness/usage-series.ts";

const latchkey = await sharedLatchkey();

test("a tenant whose keys were never used has zeros for each hour of the last day, and the current one", async () => {
  const { status, json } = await usageReaderOf(latchkey).call("get");
  expect(status).toBe(200);
  expect(json.result).toStrictEqual({ total_verifications: 0, successful_verifications: 0, failed_verifications: 0 });
  expect(json.series).toHaveLength(25);
  for (const { from, ...counts } of json.series) {
    expect(from).toMatch(/T\d\d:00:00Z$/);
    expect(counts).toStrictEqual({ successful: 0, denied: {} });
  }
});

test("the uses of all keys add up, by their hour and by the reason of a denial", async () => {
  const reader = usageReaderOf(latchkey);
  await reader.usedKey("one", 2, 1);
  latchkey.clock.advance(2 * HOUR);
  await reader.usedKey("other", 3, 2);
  const { result, series } = await reader.get(8, { step: "hour" });
  expect(outcomesOf(series)).toEqual({ successful: 5, insufficient_scope: 3 });
  expect(result).toEqual({ total_verifications: 8, successful_verifications: 5, failed_verifications: 3 });
  expect(result).toEqual(countersOf(series));
  expect(Object.keys(usedSteps(series)).length).toBeGreaterThanOrEqual(2);
  const days = await reader.get(8, { step: "day" });
  expect(days.result).toEqual(result);
  expect(days.series).toHaveLength(31);
});

test("the counters are those of the period", async () => {
  const reader = usageReaderOf(latchkey);
  await reader.usedKey("one", 2);
  await reader.get(2);
  latchkey.clock.advance(3 * HOUR);
  await reader.usedKey("two", 1, 1);
  await reader.get(4);
  const from = new Date(latchkey.clock.now().getTime() - HOUR).toISOString();
  const { result, series } = (await reader.call("get", { from })).json;
  expect(result).toEqual({ total_verifications: 2, successful_verifications: 1, failed_verifications: 1 });
  expect(series).toHaveLength(2);
});

test("a revoked key's uses stay", async () => {
  const reader = usageReaderOf(latchkey);
  const key_id = await reader.usedKey("one", 2);
  await reader.dashboard.result("revoke", { key_id });
  expect((await reader.get(2)).result.successful_verifications).toBe(2);
});
