import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import type { KeyRecord, NewKey } from "../../domain/keys/key.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { createMemoryKeyCopies, type MemoryKeyCopies } from "./key-cache.ts";

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

/** A read whose value is taken, and whose answer arrives, when the test says so. */
interface SlowRead {
  readonly take: () => void;
  readonly land: (fails: boolean) => void;
}

/** One key, whose name counts its changes. Of two changes the second waits for the first one's commit, as for a row lock. */
class SlowKey {
  readonly #key = newKey();
  readonly #reads: SlowRead[] = [];
  readonly #ending: { readonly version: number; readonly end: () => Promise<void> }[] = [];
  #changing: Awaited<ReturnType<MemoryKeyCopies["beginChange"]>> | undefined;
  readonly #copies: MemoryKeyCopies;
  readonly #inFront: ReturnType<MemoryKeyCopies["inFrontOf"]>;
  committed = 0;
  /** The least that whoever asks now may be told: of what was acknowledged and what others were told before. */
  floor = 0;
  reads = 0;

  constructor(copies: MemoryKeyCopies) {
    this.#copies = copies;
    this.#inFront = copies.inFrontOf({ findKeyBySecretHash: () => this.#read() });
  }

  #read(): Promise<KeyRecord> {
    this.reads += 1;
    return new Promise((resolve, reject) => {
      let record: KeyRecord | undefined;
      const take = () => {
        record ??= newKey({ name: String(this.committed) }).record;
      };
      const land = (fails: boolean) => {
        take();
        if (fails || record === undefined) reject(new StoreUnavailable("away"));
        else resolve(record);
      };
      this.#reads.push({ take, land });
    });
  }

  async ask(): Promise<void> {
    const { floor } = this;
    try {
      const told = Number((await this.#inFront.findKeyBySecretHash(this.#key.secretHash))?.name);
      expect(told).toBeGreaterThanOrEqual(floor);
      expect(told).toBeLessThanOrEqual(this.committed);
      this.floor = Math.max(this.floor, told);
    } catch (err) {
      if (!(err instanceof StoreUnavailable)) throw err;
    }
  }

  take(n: number): void {
    this.#reads[n % this.#reads.length]?.take();
  }

  land(n: number, fails: boolean): void {
    this.#reads.splice(n % Math.max(1, this.#reads.length), 1)[0]?.land(fails);
  }

  async begin(): Promise<void> {
    if (this.#changing === undefined) this.#changing = await this.#copies.beginChange(this.#key.secretHash);
  }

  commit(): void {
    if (this.#changing === undefined) return;
    this.committed += 1;
    this.#ending.push({ version: this.committed, end: this.#changing.end });
    this.#changing = undefined;
  }

  async abandon(): Promise<void> {
    await this.#changing?.abandon();
    this.#changing = undefined;
  }

  async end(n: number): Promise<void> {
    const [ending] = this.#ending.splice(n % Math.max(1, this.#ending.length), 1);
    await ending?.end();
    this.floor = Math.max(this.floor, ending?.version ?? 0);
  }

  async endAll(): Promise<void> {
    await this.abandon();
    while (this.#ending.length > 0) await this.end(0);
    while (this.#reads.length > 0) this.land(0, false);
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("law", () => {
  test("nobody is told less than was acknowledged, or than somebody was told before, however reads and changes cross", async () => {
    const steps = ["ask", "ask", "take", "land", "land", "fail", "begin", "commit", "abandon", "end", "end"] as const;
    const event = fc.record({ what: fc.constantFrom(...steps), key: fc.nat(1), n: fc.nat(9) });
    const property = fc.asyncProperty(fc.array(event, { maxLength: 80, size: "max" }), async (run) => {
      const copies = createMemoryKeyCopies();
      const keys = [new SlowKey(copies), new SlowKey(copies)] as const;
      const asked: Promise<void>[] = [];
      for (const { what, key: which, n } of run) {
        const key = which === 0 ? keys[0] : keys[1];
        if (what === "ask") asked.push(key.ask());
        else if (what === "land" || what === "fail") key.land(n, what === "fail");
        else await key[what](n);
        await settled();
      }
      for (const key of keys) {
        await key.endAll();
        await Promise.all([key.ask(), key.endAll()]);
        const { reads } = key;
        await key.ask();
        expect(key.floor).toBe(key.committed);
        expect(key.reads, "nothing is under way, so there is a copy").toBe(reads);
      }
      await Promise.all(asked);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe("a copy", () => {
  test("is what the store answers, and is read from it once", async () => {
    const table = new Table();
    const keys = createMemoryKeyCopies().inFrontOf(table);
    const { secretHash, record } = table.add(newKey());
    for (let n = 0; n < 5; n++) expect(await keys.findKeyBySecretHash(secretHash)).toEqual(record);
    expect(table.reads).toBe(1);
  });

  test("is made also where there is no moment without a read of the key under way", async () => {
    const { secretHash, record } = newKey();
    const reads: (() => void)[] = [];
    const keys = createMemoryKeyCopies().inFrontOf({
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

  test("cannot be changed by whoever is given it", async () => {
    const table = new Table();
    const oidc = { issuer: "i", jwksUrl: "j", audience: "a", userIdClaim: "sub", requiredClaims: { org: "1" } };
    const { secretHash } = table.add(newKey({ oidc }));
    const copy = await createMemoryKeyCopies().inFrontOf(table).findKeyBySecretHash(secretHash);
    for (const part of [copy, copy?.permissions, copy?.rateLimit, copy?.oidc, copy?.oidc?.requiredClaims]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test("is not made of a key that does not exist, so that it is found once it does", async () => {
    const table = new Table();
    const keys = createMemoryKeyCopies().inFrontOf(table);
    const key = newKey();
    expect(await keys.findKeyBySecretHash(key.secretHash)).toBeUndefined();
    table.add(key);
    expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual(key.record);
  });

  test("is gone as soon as a change begins, and none is made before all changes of the key have ended", async () => {
    const table = new Table();
    const copies = createMemoryKeyCopies();
    const keys = copies.inFrontOf(table);
    const { secretHash } = table.add(newKey());
    const readsOf = async () => {
      const before = table.reads;
      for (let n = 0; n < 2; n++) await keys.findKeyBySecretHash(secretHash);
      return table.reads - before;
    };
    expect(await readsOf()).toBe(1);
    const first = await copies.beginChange(secretHash);
    expect(await readsOf()).toBe(2);
    const second = await copies.beginChange(secretHash);
    await first.end();
    expect(await readsOf()).toBe(2);
    await second.abandon();
    expect(await readsOf()).toBe(1);
  });
});

describe("bound", () => {
  async function copiedOf(sizes: readonly number[], bytesMax: number) {
    const table = new Table();
    const keys = createMemoryKeyCopies({ bytesMax }).inFrontOf(table);
    const all = sizes.map((size) => table.add(newKey({ description: "x".repeat(size) })));
    for (const { secretHash } of all) await keys.findKeyBySecretHash(secretHash);
    const copied: number[] = [];
    // Backwards, so that the looking displaces only what was found to be missing.
    for (const [n, { secretHash }] of [...all.entries()].reverse()) {
      const before = table.reads;
      await keys.findKeyBySecretHash(secretHash);
      if (table.reads === before) copied.unshift(n);
    }
    return copied;
  }

  test("the copies used longest ago make room", async () => {
    expect(await copiedOf([0, 0, 0, 0, 0], 5_000)).toEqual([2, 3, 4]);
  });

  test("long texts take the room of several keys, and what is too long for all of it is read each time", async () => {
    expect(await copiedOf([0, 0, 0, 2_000], 5_000)).toEqual([2, 3]);
    expect(await copiedOf([0, 5_000], 5_000)).toEqual([0]);
  });

  test("guesses displace nobody", async () => {
    const table = new Table();
    const keys = createMemoryKeyCopies({ bytesMax: 3_000 }).inFrontOf(table);
    const { secretHash } = table.add(newKey());
    await keys.findKeyBySecretHash(secretHash);
    for (let n = 0; n < 10; n++) await keys.findKeyBySecretHash(newKey().secretHash);
    const { reads } = table;
    await keys.findKeyBySecretHash(secretHash);
    expect(table.reads).toBe(reads);
  });
});
