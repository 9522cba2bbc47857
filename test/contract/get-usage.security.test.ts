import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { testCommonDenials } from "./common-denials.suite.ts";

const latchkey = await sharedLatchkey();

testCommonDenials(latchkey, "GetUsage");

test("a tenant sees the uses of its own keys only", async () => {
  const owner = usageReaderOf(latchkey);
  const stranger = usageReaderOf(latchkey);
  await owner.usedKey("one", 3, 1);
  await stranger.usedKey("other", 1);
  expect((await owner.get(4)).result.failed_verifications).toBe(1);
  expect((await stranger.get(1)).result).toEqual({
    total_verifications: 1,
    successful_verifications: 1,
    failed_verifications: 0,
  });
  expect((await usageReaderOf(latchkey).get(0)).result.total_verifications).toBe(0);
});
