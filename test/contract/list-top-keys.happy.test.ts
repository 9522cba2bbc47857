// promise: usage.tenant
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

function counters(successful: number, failed: number): object {
  return {
    total_verifications: successful + failed,
    successful_verifications: successful,
    failed_verifications: failed,
  };
}

test("the keys with most requests come first, with their names and counters, and unused ones are absent", async () => {
  const reader = usageReaderOf(latchkey);
  await reader.usedKey("unused", 0);
  const some = await reader.usedKey("some", 2);
  const most = await reader.usedKey("most", 1, 3);
  const least = await reader.usedKey("least", 0, 1);
  expect(await reader.topKeys(7)).toStrictEqual([
    { key_id: most, name: "most", ...counters(1, 3) },
    { key_id: some, name: "some", ...counters(2, 0) },
    { key_id: least, name: "least", ...counters(0, 1) },
  ]);
  expect((await reader.call("top-keys", { per_page: 1 })).json.keys.map(({ name }: { name: string }) => name)).toEqual([
    "most",
  ]);
});

test("a tenant whose keys were never used has an empty list", async () => {
  const { status, json } = await usageReaderOf(latchkey).call("top-keys");
  expect({ status, json }).toEqual({ status: 200, json: { keys: [], next_page_token: "" } });
});

test("a list has ten keys if no number is given", async () => {
  const reader = usageReaderOf(latchkey);
  for (let n = 0; n < 12; n++) await reader.usedKey(`key ${n}`, 1);
  await reader.topKeys(12, { per_page: 100 });
  for (const per_page of [undefined, 0, null])
    expect((await reader.call("top-keys", { per_page })).json.keys).toHaveLength(10);
  expect((await reader.call("top-keys", { per_page: 2_147_483_647 })).json.keys).toHaveLength(12);
});

test("a key counts with its requests in the period, whatever became of it", async () => {
  const reader = usageReaderOf(latchkey);
  const early = await reader.usedKey("early", 2);
  await reader.topKeys(2);
  latchkey.clock.advance(3 * HOUR);
  await reader.usedKey("late", 1);
  await reader.dashboard.result("revoke", { key_id: early });
  const all = await reader.topKeys(3);
  expect(all.map(({ name }) => name)).toEqual(["early", "late"]);
  const from = new Date(latchkey.clock.now().getTime() - HOUR).toISOString();
  expect((await reader.topKeys(1, { from })).map(({ name }) => name)).toEqual(["late"]);
  expect((await reader.topKeys(2, { to: from })).map(({ name }) => name)).toEqual(["early"]);
});

test("with a reason, a key counts with its requests that were denied for it, and the other keys are absent", async () => {
  const reader = usageReaderOf(latchkey);
  await reader.usedKey("good", 5);
  const some = await reader.usedKey("some", 4, 1);
  const most = await reader.usedKey("most", 0, 3);
  await reader.topKeys(13);
  const { json } = await reader.call("top-keys", { reason: "insufficient_scope" });
  expect(json.keys).toStrictEqual([
    { key_id: most, name: "most", ...counters(0, 3) },
    { key_id: some, name: "some", ...counters(0, 1) },
  ]);
  expect((await reader.call("top-keys", { reason: "rate_limited" })).json).toEqual({ keys: [], next_page_token: "" });
});
