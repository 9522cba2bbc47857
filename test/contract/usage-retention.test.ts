// promise: usage.series
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { HOUR } from "../harness/test-clock.ts";
import { countersOf } from "../harness/usage-series.ts";

const DAYS = 3;

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { usageDays: DAYS }, purgeMs: 50 });
});

afterAll(() => latchkey.close());

test("uses by the hour are kept for USAGE_DAYS and then removed, and the counters stay", async () => {
  const reader = usageReaderOf(latchkey);
  const key_id = await reader.usedKey("one", 3, 2);
  await reader.get(5, { step: "day" });
  // An hour has ended when the next one begins.
  latchkey.clock.advance((DAYS * 24 - 2) * HOUR);
  await reader.usedKey("other", 1);
  await reader.get(6, { step: "day" });
  latchkey.clock.advance(4 * HOUR);
  await reader.get(1, { step: "day" });
  const { result, series } = (await reader.dashboard.call("usage", { key_id, step: "day" })).json;
  expect(result).toEqual({ total_verifications: 5, successful_verifications: 3, failed_verifications: 2 });
  expect(countersOf(series).total_verifications).toBe(0);
});
