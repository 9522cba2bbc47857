// promise: lists.pages
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import type { KeyFilter } from "../../src/domain/keys/filter.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { createMemoryKeys } from "../harness/memory-keys.ts";
import { later, NOW, newKey, usesAt } from "./records.ts";

const ALL: KeyFilter = { status: null, now: NOW };
const PAGE = { page: 1, perPage: 100 };

/** What every KeyStore promises of the filters and the order of a list. */
export function keyListSuite(name: string, open: () => Promise<KeyStore>): void {
  describe(`lists of keys in ${name}`, () => {
    let keys: KeyStore;
    beforeAll(async () => {
      keys = await open();
    });

    /** Stores keys of one tenant, the first one first, and returns a function that lists the names of those that a filter finds. */
    async function storedKeys(records: readonly Partial<KeyRecord>[]) {
      const [first = newKey(), ...others] = records.map((fields) => newKey(fields));
      const { tenantId } = first.record;
      const stored = [first, ...others.map((key) => ({ ...key, record: { ...key.record, tenantId } }))];
      for (const key of stored) await keys.insertKey(key, ACT);
      const list = async (filter: Partial<KeyFilter>, page = PAGE) => {
        const { items, total } = await keys.listKeys(tenantId, { ...ALL, ...filter }, page);
        return { names: items.map((key) => key.name), total };
      };
      return { tenantId, stored, list };
    }

    test.each<[string, Partial<KeyFilter>, string[]]>([
      ["externalId is the whole of it", { externalId: "c7" }, ["b", "a"]],
      ["externalId has two cases", { externalId: "C7" }, []],
      ["type is secret", { type: "secret" }, ["d", "c", "b"]],
      ["type is publishable", { type: "publishable" }, ["a"]],
      ["type is null", { type: null }, ["d", "c", "b", "a"]],
      ["secretPrefix is its beginning", { secretPrefix: "sk_ab" }, ["c", "b"]],
      ["secretPrefix is no pattern", { secretPrefix: "sk_a_" }, []],
      ["scope is one of several", { scope: "users:read" }, ["c", "b"]],
      ["scope is a wildcard as it is written", { scope: "users:*" }, ["a"]],
      ["scope is a part of one", { scope: "users" }, []],
      ["scope has characters of JSON", { scope: 'a"b' }, ["d"]],
      ["status and externalId both hold", { status: "revoked", externalId: "c7" }, ["b"]],
      [
        "all hold",
        { type: "secret", externalId: "c7", secretPrefix: "sk_", scope: "users:read", namePrefix: "b" },
        ["b"],
      ],
      ["all but one hold", { type: "secret", externalId: "c7", scope: "plans:*" }, []],
    ])("%s", async (_, filter, names) => {
      const { list } = await storedKeys([
        { name: "a", type: "publishable", externalId: "c7", secretPrefix: "pk_abcdefghi", permissions: ["users:*"] },
        { name: "b", externalId: "c7", secretPrefix: "sk_abcdefghi", revokedAt: NOW, permissions: ["users:read"] },
        { name: "c", externalId: "c77", secretPrefix: "sk_abXdefghi", permissions: ["plans:*", "users:read"] },
        { name: "d", secretPrefix: "sk_Abcdefghi", permissions: ['a"b'] },
      ]);
      expect(await list(filter)).toEqual({ names, total: names.length });
    });

    test.each<[string, string[]]>([
      ["back", ["backend", "Back 100%", "BACKUP"]],
      ["backe", ["backend"]],
      ["back 100%", ["Back 100%"]],
      ["b_ck", []],
      ["ackend", []],
      ["äpfel", ["äpfel"]],
      ["\u212aelvin", ["\u212aelvin"]],
      ["kelvin", []],
    ])("namePrefix %j is the beginning of a name, where only ASCII has two cases", async (namePrefix, names) => {
      const { list } = await storedKeys(
        ["BACKUP", "Back 100%", "backend", "\u00c4pfel", "äpfel", "\u212aelvin", "x back"].map((each) => ({
          name: each,
        })),
      );
      expect(await list({ namePrefix })).toEqual({ names, total: names.length });
    });

    test("the total counts what the filter finds, on each page and past the last", async () => {
      const { list } = await storedKeys(
        Array.from({ length: 7 }, (_, n) => ({ name: `${n}`, externalId: `${n % 2}` })),
      );
      for (const order of ["created_at", "last_used_at"] as const) {
        const filter = { externalId: "0", order };
        expect(await list(filter, { page: 1, perPage: 3 })).toEqual({ names: ["6", "4", "2"], total: 4 });
        expect(await list(filter, { page: 2, perPage: 3 })).toEqual({ names: ["0"], total: 4 });
        expect(await list(filter, { page: 3, perPage: 3 })).toEqual({ names: [], total: 4 });
      }
    });

    test.each<[string, string[]]>([
      ["back", ["my Backup", "back"]],
      ["ustomer-7", ["by customer"]],
      ["key_of_", ["by id"]],
      ["%", []],
      ["k_b", []],
      ["\u00e4", ["B\u00e4r"]],
      ["platform", ["by metadata"]],
      ["team", []],
      ["7.125", ["by number"]],
    ])("part %j is in the name, the id, the external id or a value of the metadata", async (part, names) => {
      const { list } = await storedKeys([
        { name: "B\u00e4r" },
        { name: "back" },
        { name: "my Backup" },
        { name: "by id", keyId: `key_of_${randomUUID()}` },
        { name: "by customer", externalId: "CUSTOMER-7" },
        { name: "by metadata", metadata: { team: "Platform" } },
        { name: "by number", metadata: { ratio: 7.125, left: null } },
      ]);
      expect(await list({ part })).toEqual({ names, total: names.length });
    });

    test("expiresBefore finds what has an expiry before it, also what has expired, and nothing that lives for ever", async () => {
      const { list } = await storedKeys([
        { name: "for ever" },
        { name: "gone", expiresAt: later(-10) },
        { name: "soon", expiresAt: later(10) },
        { name: "late", expiresAt: later(20) },
      ]);
      expect((await list({ expiresBefore: later(20) })).names).toEqual(["soon", "gone"]);
      expect((await list({ expiresBefore: later(21), status: "active" })).names).toEqual(["late", "soon"]);
      expect((await list({ expiresBefore: later(-10) })).names).toEqual([]);
    });

    test("lastUsedBefore finds what was neither created nor used since", async () => {
      const { stored, list } = await storedKeys([
        { name: "old, unused", createdAt: later(0) },
        { name: "old, used", createdAt: later(0) },
        { name: "old, used long ago", createdAt: later(0) },
        { name: "new", createdAt: later(20) },
      ]);
      const use = (at: number, ms: number) =>
        keys.addUsage(randomUUID(), new Map([[stored[at]?.record.keyId ?? "", usesAt(later(ms), { successful: 1 })]]));
      await use(1, 20);
      await use(2, 19);
      expect((await list({ lastUsedBefore: later(20) })).names).toEqual(["old, used long ago", "old, unused"]);
      expect((await list({ lastUsedBefore: later(0) })).names).toEqual([]);
      expect((await list({ lastUsedBefore: later(21) })).total).toBe(4);
    });

    test("isLeaked finds keys that were reported, also those that were enabled since", async () => {
      const { stored, tenantId, list } = await storedKeys([
        { name: "safe" },
        { name: "leaked" },
        { name: "enabled again" },
      ]);
      for (const { record } of stored.slice(1)) {
        const leak = { at: NOW, url: null, source: null };
        await keys.updateKeyUnderLock(tenantId, record.keyId, () => ({ patch: { leak, disabledAt: NOW } }), ACT);
      }
      const keyId = stored[2]?.record.keyId ?? "";
      await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { disabledAt: null } }), ACT);
      expect((await list({ isLeaked: true })).names).toEqual(["enabled again", "leaked"]);
      expect((await list({ isLeaked: true, status: "disabled" })).names).toEqual(["leaked"]);
      expect((await list({ isLeaked: false })).total).toBe(3);
    });

    test("another tenant's keys are in no filtered list", async () => {
      const mark = randomUUID();
      await storedKeys([{ name: mark, externalId: mark }]);
      const { list } = await storedKeys([{ name: "mine" }]);
      for (const filter of [{ externalId: mark }, { namePrefix: mark }, { part: mark }])
        expect(await list(filter)).toEqual({ names: [], total: 0 });
    });

    test("by last use, the latest is first, and what was never used comes last with the newest first", async () => {
      const { stored, list } = await storedKeys(
        ["never 1", "early", "late", "never 2"].map((each, n) => ({ name: each, createdAt: later(n) })),
      );
      const use = (at: number, ms: number) =>
        keys.addUsage(randomUUID(), new Map([[stored[at]?.record.keyId ?? "", usesAt(later(ms), { successful: 1 })]]));
      await use(1, 10);
      await use(2, 20);
      expect(await list({ order: "last_used_at" })).toEqual({
        names: ["late", "early", "never 2", "never 1"],
        total: 4,
      });
      await use(1, 30);
      expect(await list({ order: "last_used_at" }, { page: 1, perPage: 2 })).toEqual({
        names: ["early", "late"],
        total: 4,
      });
      expect(await list({ order: "last_used_at" }, { page: 2, perPage: 2 })).toEqual({
        names: ["never 2", "never 1"],
        total: 4,
      });
    });

    test("lists the same keys in the same order as a plain search through all of them", async () => {
      const word = fc.constantFrom("", "a", "A", "ab", "b", "ä", "%", "_", "\\");
      const instant = fc.integer({ min: 0, max: 3 }).map(later);
      const record = fc.record({
        name: word.map((text) => `${text}x`),
        externalId: word,
        metadata: fc.constantFrom(null, {}, { team: "Ab" }, { team: "b", list: ["a", 1] }),
        type: fc.constantFrom("secret", "publishable"),
        secretPrefix: fc.constantFrom("sk_abcdefghi", "sk_abXdefghi", "pk_abcdefghi"),
        permissions: fc.subarray(["users:read", "users:*", "*"]),
        createdAt: instant,
        revokedAt: fc.option(instant),
        expiresAt: fc.option(instant),
      });
      const filter = fc.record({
        status: fc.constantFrom(null, "active", "revoked"),
        externalId: word,
        namePrefix: word.map((text) => text.toLowerCase()),
        secretPrefix: fc.constantFrom("", "sk_", "sk_ab", "pk_abcdefghi", "sk__"),
        type: fc.constantFrom(null, "secret", "publishable"),
        scope: fc.constantFrom("", "users:read", "*"),
        order: fc.constantFrom("created_at", "last_used_at"),
        part: fc.constantFrom("", "a", "b", "\u00e4", "key_", "%"),
        lastUsedBefore: fc.option(instant),
        expiresBefore: fc.option(instant),
      });
      const used = fc.array(fc.tuple(fc.nat(11), fc.integer({ min: 0, max: 3 })), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(record, { maxLength: 12 }),
          fc.array(filter, { minLength: 1, maxLength: 8 }),
          used,
          async (records, filters, uses) => {
            const { stored, tenantId } = await storedKeys(records as Partial<KeyRecord>[]);
            const plain = createMemoryKeys();
            for (const key of stored) await plain.insertKey(key, ACT);
            for (const [at, ms] of uses) await useBoth([keys, plain], stored[at], ms);
            for (const one of filters) {
              const asked = { ...one, now: NOW } as KeyFilter;
              const page = { page: 1, perPage: 5 };
              const [found, expected] = await Promise.all(
                [keys, plain].map((store) => store.listKeys(tenantId, asked, page)),
              );
              expect(found).toEqual(expected);
            }
          },
        ),
        { numRuns: 15 },
      );
    });
  });
}

async function useBoth(stores: readonly KeyStore[], key: NewKey | undefined, ms: number): Promise<void> {
  if (key === undefined) return;
  for (const store of stores)
    await store.addUsage(randomUUID(), new Map([[key.record.keyId, usesAt(later(ms), { successful: 1 })]]));
}
