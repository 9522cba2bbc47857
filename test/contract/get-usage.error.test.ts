import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { testPeriodErrors } from "./usage-period.suite.ts";

const latchkey = await sharedLatchkey();

testPeriodErrors(["from", "to", "step"], (period) => usageReaderOf(latchkey).call("get", period));

test.each([
  ["key_id", "key_x"],
  ["tenant_id", "ten_x"],
  ["per_page", 5],
])("rejects %s as a member of the request", async (member, value) => {
  expectInvalid(await usageReaderOf(latchkey).call("get", { [member]: value }), member);
});
