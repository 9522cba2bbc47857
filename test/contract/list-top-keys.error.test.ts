import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { testPeriodErrors } from "./usage-period.suite.ts";

const latchkey = await sharedLatchkey();

testPeriodErrors(["from", "to"], (period) => usageReaderOf(latchkey).call("top-keys", period));

test.each([
  ["per_page", -1],
  ["per_page", 1.5],
  ["per_page", "x"],
  ["reason", "x".repeat(65)],
  ["reason", 1],
  ["per_page", 2 ** 31],
  ["step", "hour"],
  ["page", 1],
  ["tenant_id", "ten_x"],
])("%s: %j is 400 and names the member", async (member, value) => {
  expectInvalid(await usageReaderOf(latchkey).call("top-keys", { [member]: value }), member);
});
