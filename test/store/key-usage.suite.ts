import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT } from "../harness/act.ts";
import { later, NOW, newKey, unused, usesAt } from "./records.ts";

const DAY_MS = 86_400_000;

/** What every KeyStore promises of what it counts. */
export function keyUsageSuite(name: string, open: () => Promise<KeyStore>): void {
  describe(`usage of keys in ${name}`, () => {
    let keys: KeyStore;
    beforeAll(async () => {
      keys = await open();
    });

    test("a key never used has zeros", async () => {
      const { tenantId, keyId } = newKey().record;
      expect(await keys.readUsage(tenantId, keyId)).toEqual({ total: 0, successful: 0, failed: 0 });
    });

    test("another tenant's key has zeros, however much it is used", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const usage = { total: 2, successful: 1, failed: 1 };
      await keys.addUsage(randomUUID(), new Map([[key.record.keyId, usesAt(NOW, usage)]]));
      expect(await keys.readUsage(key.record.tenantId, key.record.keyId)).toEqual(usage);
      expect(await keys.readUsage(newId("ten"), key.record.keyId)).toEqual({ total: 0, successful: 0, failed: 0 });
    });

    test("usage adds up, exactly to 2^53, and the time of last use never goes back", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      const large = { total: 9_007_199_254_740_981, successful: 9_007_199_254_740_980, failed: 1 };
      const small = { total: 10, successful: 1, failed: 9 };
      await keys.addUsage(randomUUID(), new Map([[keyId, usesAt(later(9), small)]]));
      expect(await keys.readUsage(tenantId, keyId)).toEqual(small);
      await keys.addUsage(randomUUID(), new Map([[keyId, usesAt(later(5), large)]]));
      expect(await keys.readUsage(tenantId, keyId)).toEqual({
        total: 9_007_199_254_740_991,
        successful: 9_007_199_254_740_981,
        failed: 10,
      });
      const used = { ...unused(key), lastUsedAt: later(9) };
      expect(await keys.findKey(tenantId, keyId)).toEqual(used);
      expect(await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: {} }), ACT)).toEqual(used);
      expect(await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { name: "b" } }), ACT)).toEqual({
        ...used,
        name: "b",
      });
      const { items } = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 1 });
      expect(items).toEqual([{ ...used, name: "b" }]);
    });

    test("a clock that is years ahead for a moment leaves a last use that is a day ahead at most", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      const ahead = new Date(Date.now() + 3_650 * DAY_MS);
      const usage = usesAt(ahead, { successful: 1 });
      // The second one finds what the first one stored.
      for (const batchId of [randomUUID(), randomUUID()]) {
        await keys.addUsage(batchId, new Map([[keyId, usage]]));
        const lastUsedAt = (await keys.findKey(tenantId, keyId))?.lastUsedAt;
        expect(lastUsedAt?.getTime()).toBeLessThanOrEqual(Date.now() + DAY_MS);
      }
    });

    test("usage is counted for any id, and a batch may be empty", async () => {
      const usage = { total: 3, successful: 2, failed: 1 };
      const tenantId = newId("ten");
      const ids = ["", ` ,"'{}\\\n😀`].map((end) => newId("key") + end);
      for (const keyId of ids) await keys.insertKey(newKey({ tenantId, keyId }), ACT);
      await keys.addUsage(randomUUID(), new Map([...ids, newId("key")].map((id) => [id, usesAt(NOW, usage)])));
      await keys.addUsage(randomUUID(), new Map());
      for (const id of ids) expect(await keys.readUsage(tenantId, id)).toEqual(usage);
    });

    test("a batch sent again, at once or later, counts once", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const usage = new Map([[key.record.keyId, usesAt(NOW, { successful: 1, failed: 1 })]]);
      const batchId = randomUUID();
      await Promise.all([keys.addUsage(batchId, usage), keys.addUsage(batchId, usage)]);
      await keys.addUsage(batchId, usage);
      expect(await keys.readUsage(key.record.tenantId, key.record.keyId)).toEqual({
        total: 2,
        successful: 1,
        failed: 1,
      });
    });

    test("many replicas in any order lose no count and do not deadlock", async () => {
      const tenantId = newId("ten");
      const stored = Array.from({ length: 20 }, () => newKey({ tenantId }));
      for (const key of stored) await keys.insertKey(key, ACT);
      const ids = stored.map((key) => key.record.keyId);
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const order = n % 2 === 0 ? ids : ids.toReversed();
          return keys.addUsage(
            randomUUID(),
            new Map(order.map((id) => [id, usesAt(later(n), { successful: n, failed: 1 })])),
          );
        }),
      );
      const sum = { total: 210, successful: 190, failed: 20 };
      for (const id of ids) expect(await keys.readUsage(tenantId, id)).toEqual(sum);
    });
  });
}
