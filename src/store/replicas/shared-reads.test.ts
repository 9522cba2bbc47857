import fc from "fast-check";
import { expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import type { KeyRecord } from "../../domain/credentials/key.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createSharedReads } from "./shared-reads.ts";

/** A store whose reads return the record as it was when they began. The test decides when they end. */
class SlowStore {
  version = 0;
  readonly open: { readonly version: number; readonly end: (fails: boolean) => void }[] = [];
  begun = 0;

  findKeyBySecretHash(): Promise<KeyRecord | undefined> {
    this.begun += 1;
    const { version } = this;
    return new Promise((resolve, reject) => {
      const record = newKey({ name: String(version) }).record;
      const end = (fails: boolean) => (fails ? reject(new StoreUnavailable("away")) : resolve(record));
      this.open.push({ version, end });
    });
  }
}

const HASH = "a".repeat(43);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a thousand concurrent look-ups cost two reads", async () => {
  const store = new SlowStore();
  const reads = createSharedReads(store);
  const all = Array.from({ length: 1_000 }, () => reads.findKeyBySecretHash(HASH));
  store.open.shift()?.end(false);
  await settled();
  store.open.shift()?.end(false);
  expect(new Set((await Promise.all(all)).map((record) => record?.name))).toEqual(new Set(["0"]));
  expect(store.begun).toBe(2);
});

test("different keys do not wait for each other", async () => {
  const store = new SlowStore();
  const reads = createSharedReads(store);
  void reads.findKeyBySecretHash(HASH);
  void reads.findKeyBySecretHash("b".repeat(43));
  expect(store.begun).toBe(2);
});

test("no caller gets a read that began before its call, and at most one read is under way", async () => {
  const event = fc.constantFrom("look up", "look up", "change", "end", "fail");
  const property = fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
    const store = new SlowStore();
    const reads = createSharedReads(store);
    const lookUps: Promise<void>[] = [];
    for (const what of [...events, ...Array.from({ length: 10 }, () => "end")]) {
      if (what === "change") store.version += 1;
      if (what === "look up") {
        const since = store.version;
        const answer = Promise.resolve(reads.findKeyBySecretHash(HASH));
        lookUps.push(
          answer.then(
            (record) => expect(Number(record?.name)).toBeGreaterThanOrEqual(since),
            (err) => expect(err).toBeInstanceOf(StoreUnavailable),
          ),
        );
      }
      if (what === "end" || what === "fail") store.open.shift()?.end(what === "fail");
      await settled();
      expect(store.open.length).toBeLessThanOrEqual(1);
    }
    await Promise.all(lookUps);
    const before = store.begun;
    void reads.findKeyBySecretHash(HASH);
    expect(store.begun).toBe(before + 1);
  });
  await fc.assert(property, { numRuns: 300 });
});

test.each([
  [499, 2],
  [500, 1],
])("a caller that waited %i ms for a read that fails costs %i reads in all", async (waitedMs, reads) => {
  const store = new SlowStore();
  let nowMs = 0;
  const shared = createSharedReads(store, () => nowMs);
  const both = Promise.allSettled([shared.findKeyBySecretHash(HASH), shared.findKeyBySecretHash(HASH)]);
  nowMs = waitedMs;
  store.open.shift()?.end(true);
  await settled();
  store.open.shift()?.end(true);
  const reason = expect.any(StoreUnavailable);
  expect(await both).toEqual([
    { status: "rejected", reason },
    { status: "rejected", reason },
  ]);
  expect(store.begun).toBe(reads);
  // The next call reads again.
  void shared.findKeyBySecretHash(HASH);
  expect(store.begun).toBe(reads + 1);
});
