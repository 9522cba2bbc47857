// promise: usage.tenant
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";

const latchkey = await sharedLatchkey();

test("a tenant sees its own keys only", async () => {
  const owner = usageReaderOf(latchkey);
  const stranger = usageReaderOf(latchkey);
  const own = await owner.usedKey("one", 3);
  const other = await stranger.usedKey("other", 1);
  expect((await owner.topKeys(3)).map(({ key_id }) => key_id)).toEqual([own]);
  expect((await stranger.topKeys(1)).map(({ key_id }) => key_id)).toEqual([other]);
  expect(await usageReaderOf(latchkey).topKeys(0)).toEqual([]);
});
