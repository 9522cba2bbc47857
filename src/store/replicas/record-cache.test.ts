import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import type { KeyRecord } from "../../domain/credentials/key.ts";
import type { NewKey } from "../../domain/keys/key-change.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { type Invalidation, NOWHERE, type PendingChange } from "./invalidation.ts";
import { createRecordCache, type RecordCache } from "./record-cache.ts";
import { createSoleProcessInvalidation } from "./sole-process.ts";

/** A table of keys that counts how often it is read. */
class Table {
  readonly rows = new Map<string, KeyRecord>();
  reads = 0;

  add(key: NewKey): NewKey {
    this.rows.set(key.secretHash, key.record);
    return key;
  }

  async findKeyBySecretHash(secretHash: string): Promise<KeyRecord | undefined> {
    this.reads += 1;
    const row = this.rows.get(secretHash);
    return row && structuredClone(row);
  }
}

/** A read of which the test decides when it takes its value, and when it returns it. */
interface SlowRead {
  readonly take: () => void;
  readonly finish: (fails: boolean) => void;
}

/** One key, whose name counts its changes. A second change waits for the commit of the first, as for a row lock. */
class SlowKey {
  readonly #key = newKey();
  readonly #reads: SlowRead[] = [];
  readonly #ending: { readonly version: number; readonly change: PendingChange }[] = [];
  #changing: PendingChange | undefined;
  readonly #invalidation: Invalidation;
  readonly #inFront: ReturnType<RecordCache["inFrontOf"]>;
  committed = 0;
  /** The oldest version that a read may return now: acknowledged, or already returned by an earlier read. */
  floor = 0;
  reads = 0;

  constructor(cache: RecordCache) {
    this.#invalidation = createSoleProcessInvalidation(cache);
    this.#inFront = cache.inFrontOf({ findKeyBySecretHash: () => this.#readSlowly() });
  }

  #readSlowly(): Promise<KeyRecord> {
    this.reads += 1;
    return new Promise((resolve, reject) => {
      let record: KeyRecord | undefined;
      const take = () => {
        record ??= newKey({ name: String(this.committed) }).record;
      };
      const finish = (fails: boolean) => {
        take();
        if (fails || record === undefined) reject(new StoreUnavailable("away"));
        else resolve(record);
      };
      this.#reads.push({ take, finish });
    });
  }

  async read(): Promise<void> {
    const { floor } = this;
    try {
      const version = Number((await this.#inFront.findKeyBySecretHash(this.#key.secretHash))?.name);
      expect(version).toBeGreaterThanOrEqual(floor);
      expect(version).toBeLessThanOrEqual(this.committed);
      this.floor = Math.max(this.floor, version);
    } catch (err) {
      if (!(err instanceof StoreUnavailable)) throw err;
    }
  }

  take(n: number): void {
    this.#reads[n % this.#reads.length]?.take();
  }

  finish(n: number, fails: boolean): void {
    this.#reads.splice(n % Math.max(1, this.#reads.length), 1)[0]?.finish(fails);
  }

  async begin(): Promise<void> {
    this.#changing ??= await this.#invalidation.beginChange(this.#key.secretHash);
  }

  commit(): void {
    if (this.#changing === undefined) return;
    this.committed += 1;
    this.#ending.push({ version: this.committed, change: this.#changing });
    this.#changing = undefined;
  }

  async abandon(): Promise<void> {
    await this.#changing?.abandon();
    this.#changing = undefined;
  }

  async end(n: number): Promise<void> {
    const [ending] = this.#ending.splice(n % Math.max(1, this.#ending.length), 1);
    await ending?.change.end(NOWHERE);
    this.floor = Math.max(this.floor, ending?.version ?? 0);
  }

  async endAll(): Promise<void> {
    await this.abandon();
    while (this.#ending.length > 0) await this.end(0);
    while (this.#reads.length > 0) this.finish(0, false);
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("law", () => {
  test("no read returns a version older than an acknowledged one, or than one returned before, however reads and changes overlap", async () => {
    const steps = [
      "read",
      "read",
      "take",
      "finish",
      "finish",
      "fail",
      "begin",
      "commit",
      "abandon",
      "end",
      "end",
    ] as const;
    const event = fc.record({ what: fc.constantFrom(...steps), key: fc.nat(1), n: fc.nat(9) });
    const property = fc.asyncProperty(fc.array(event, { maxLength: 80, size: "max" }), async (run) => {
      const cache = createRecordCache();
      const keys = [new SlowKey(cache), new SlowKey(cache)] as const;
      const reading: Promise<void>[] = [];
      for (const { what, key: which, n } of run) {
        const key = which === 0 ? keys[0] : keys[1];
        if (what === "read") reading.push(key.read());
        else if (what === "finish" || what === "fail") key.finish(n, what === "fail");
        else await key[what](n);
        await settled();
      }
      for (const key of keys) {
        await key.endAll();
        await Promise.all([key.read(), key.endAll()]);
        const { reads } = key;
        await key.read();
        expect(key.floor).toBe(key.committed);
        expect(key.reads, "nothing is under way, so the key is cached").toBe(reads);
      }
      await Promise.all(reading);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe("a cached record", () => {
  test("equals the stored record, which is read once", async () => {
    const table = new Table();
    const keys = createRecordCache().inFrontOf(table);
    const { secretHash, record } = table.add(newKey());
    for (let n = 0; n < 5; n++) expect(await keys.findKeyBySecretHash(secretHash)).toEqual(record);
    expect(table.reads).toBe(1);
  });

  test("is stored even if reads of the key overlap all the time", async () => {
    const { secretHash, record } = newKey();
    const reads: (() => void)[] = [];
    const keys = createRecordCache().inFrontOf({
      findKeyBySecretHash: () => new Promise((resolve) => reads.push(() => resolve(record))),
    });
    const [first, second] = [keys.findKeyBySecretHash(secretHash), keys.findKeyBySecretHash(secretHash)];
    reads[0]?.();
    await first;
    expect(await keys.findKeyBySecretHash(secretHash)).toEqual(record);
    expect(reads).toHaveLength(2);
    reads[1]?.();
    await second;
  });

  test("cannot be changed by its callers", async () => {
    const table = new Table();
    const oidc = { issuer: "i", jwksUrl: "j", audience: "a", userIdClaim: "sub", requiredClaims: { org: "1" } };
    const { secretHash } = table.add(newKey({ oidc }));
    const cached = await createRecordCache().inFrontOf(table).findKeyBySecretHash(secretHash);
    for (const part of [cached, cached?.permissions, cached?.rateLimit, cached?.oidc, cached?.oidc?.requiredClaims]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test("is not stored for an unknown key, so that the key is found once it exists", async () => {
    const table = new Table();
    const keys = createRecordCache().inFrontOf(table);
    const key = newKey();
    expect(await keys.findKeyBySecretHash(key.secretHash)).toBeUndefined();
    table.add(key);
    expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual(key.record);
  });

  test("is removed when a change begins, and not stored again before all changes of the key have ended", async () => {
    const { cache, secretHash, readsOfTwo } = cachedKey();
    const { beginChange } = createSoleProcessInvalidation(cache);
    expect(await readsOfTwo()).toBe(1);
    const first = await beginChange(secretHash);
    expect(await readsOfTwo()).toBe(2);
    const second = await beginChange(secretHash);
    await first.end(NOWHERE);
    expect(await readsOfTwo()).toBe(2);
    await second.abandon();
    expect(await readsOfTwo()).toBe(1);
    expect(await readsOfTwo()).toBe(0);
  });

  test("is read each time until each of its marks is taken away, by its id", async () => {
    const { cache, secretHash, readsOfTwo } = cachedKey();
    for (const markId of ["1", "2", "2"]) cache.mark(secretHash, markId);
    expect(await readsOfTwo()).toBe(2);
    for (const markId of ["2", "2", "3"]) cache.unmark(secretHash, markId);
    cache.unmark(newKey().secretHash, "1");
    expect(await readsOfTwo()).toBe(2);
    cache.unmark(secretHash, "1");
    expect(await readsOfTwo()).toBe(1);
  });

  test("is dropped by itself, or with all others, and stored again by the next read", async () => {
    const { cache, secretHash, readsOfTwo } = cachedKey();
    const other = cachedKey(cache);
    for (const key of [{ readsOfTwo }, other]) await key.readsOfTwo();
    cache.drop(secretHash);
    expect([await readsOfTwo(), await other.readsOfTwo()]).toEqual([1, 0]);
    cache.clear();
    expect([await readsOfTwo(), await other.readsOfTwo()]).toEqual([1, 1]);
  });

  test("stays marked when all records are dropped", async () => {
    const { cache, secretHash, readsOfTwo } = cachedKey();
    cache.mark(secretHash, "1");
    cache.clear();
    expect(await readsOfTwo()).toBe(2);
  });

  test.each<[string, (cache: RecordCache, secretHash: string) => void]>([
    ["dropped", (cache, secretHash) => cache.drop(secretHash)],
    ["marked, and the mark taken away,", markAndUnmark],
    ["dropped with all others", (cache) => cache.clear()],
  ])("is not stored by a read that began before its key was %s", async (_, invalidate) => {
    const { secretHash, record } = newKey();
    const reads: (() => void)[] = [];
    const cache = createRecordCache();
    const keys = cache.inFrontOf({
      findKeyBySecretHash: () => new Promise((resolve) => reads.push(() => resolve(record))),
    });
    const first = keys.findKeyBySecretHash(secretHash);
    invalidate(cache, secretHash);
    // A second read is under way: its note must not let the first one store its record.
    const second = keys.findKeyBySecretHash(secretHash);
    reads[0]?.();
    await first;
    expect(cache.usage.records).toBe(0);
    reads[1]?.();
    await second;
    expect(cache.usage.records).toBe(1);
  });
});

describe("the right to use the cache", () => {
  test("is asked at each look-up: without it each key is read and none stored, and nothing stored is lost", async () => {
    let mayUse = true;
    const { cache, readsOfTwo } = cachedKey(createRecordCache({ mayUse: () => mayUse }));
    const other = cachedKey(cache);
    expect(await readsOfTwo()).toBe(1);
    mayUse = false;
    expect([await readsOfTwo(), await other.readsOfTwo()]).toEqual([2, 2]);
    mayUse = true;
    expect([await readsOfTwo(), await other.readsOfTwo()]).toEqual([0, 1]);
  });

  test("is asked in the step of the look-up, so that it cannot end in between", () => {
    const { secretHash } = newKey();
    const steps: string[] = [];
    const mayUse = () => steps.push("asked") > 0;
    const keys = createRecordCache({ mayUse }).inFrontOf({
      async findKeyBySecretHash() {
        steps.push("read");
        return undefined;
      },
    });
    void keys.findKeyBySecretHash(secretHash);
    steps.push("returned");
    expect(steps).toEqual(["asked", "read", "returned"]);
  });
});

/** A stored key with a cache in front of its table. `readsOfTwo` looks it up twice, and counts the reads of the table. */
function cachedKey(cache = createRecordCache()) {
  const table = new Table();
  const keys = cache.inFrontOf(table);
  const { secretHash } = table.add(newKey());
  const readsOfTwo = async () => {
    const before = table.reads;
    for (let n = 0; n < 2; n++) await keys.findKeyBySecretHash(secretHash);
    return table.reads - before;
  };
  return { cache, secretHash, readsOfTwo };
}

function markAndUnmark(cache: RecordCache, secretHash: string): void {
  cache.mark(secretHash, "1");
  cache.unmark(secretHash, "1");
}

describe("bound", () => {
  async function cachedOf(sizes: readonly number[], bytesMax: number) {
    const table = new Table();
    const keys = createRecordCache({ bytesMax }).inFrontOf(table);
    const all = sizes.map((size) => table.add(newKey({ description: "x".repeat(size) })));
    for (const { secretHash } of all) await keys.findKeyBySecretHash(secretHash);
    const cached: number[] = [];
    // Backwards, so that these reads evict only entries that were already found to be missing.
    for (const [n, { secretHash }] of [...all.entries()].reverse()) {
      const before = table.reads;
      await keys.findKeyBySecretHash(secretHash);
      if (table.reads === before) cached.unshift(n);
    }
    return cached;
  }

  test("the least recently used entries are evicted", async () => {
    expect(await cachedOf([0, 0, 0, 0, 0], 5_000)).toEqual([2, 3, 4]);
  });

  test("long texts take the space of several keys, and a record that is larger than the cache is read each time", async () => {
    expect(await cachedOf([0, 0, 0, 2_000], 5_500)).toEqual([2, 3]);
    expect(await cachedOf([0, 5_000], 5_000)).toEqual([0]);
  });

  test("the usage is the size of the entries, 0 without entries", async () => {
    const table = new Table();
    const cache = createRecordCache();
    const keys = cache.inFrontOf(table);
    const [small, large] = [table.add(newKey()), table.add(newKey({ description: "x".repeat(5_000) }))];
    expect(cache.usage).toMatchObject({ records: 0, bytes: 0 });
    await keys.findKeyBySecretHash(small.secretHash);
    const { bytes } = cache.usage;
    expect(cache.usage.records).toBe(1);
    expect(bytes).toBeGreaterThan(1_000);
    await keys.findKeyBySecretHash(large.secretHash);
    expect(cache.usage).toMatchObject({ records: 2, bytes: 2 * bytes + 5_000 });
    cache.drop(large.secretHash);
    expect(cache.usage).toMatchObject({ records: 1, bytes });
    cache.clear();
    expect(cache.usage).toMatchObject({ records: 0, bytes: 0 });
  });

  test("the usage counts look-ups that found their record in memory, and those that read it", async () => {
    const table = new Table();
    let mayUse = true;
    const cache = createRecordCache({ mayUse: () => mayUse });
    const keys = cache.inFrontOf(table);
    const { secretHash } = table.add(newKey());
    for (let n = 0; n < 3; n++) await keys.findKeyBySecretHash(secretHash);
    await keys.findKeyBySecretHash(newKey().secretHash);
    expect(cache.usage).toMatchObject({ found: 2, read: 2 });
    mayUse = false;
    await keys.findKeyBySecretHash(secretHash);
    expect(cache.usage).toMatchObject({ found: 2, read: 3 });
  });

  // threat: E6
  test("unknown hashes evict no key", async () => {
    const table = new Table();
    const keys = createRecordCache({ bytesMax: 3_000 }).inFrontOf(table);
    const { secretHash } = table.add(newKey());
    await keys.findKeyBySecretHash(secretHash);
    for (let n = 0; n < 10; n++) await keys.findKeyBySecretHash(newKey().secretHash);
    const { reads } = table;
    await keys.findKeyBySecretHash(secretHash);
    expect(table.reads).toBe(reads);
  });
});
