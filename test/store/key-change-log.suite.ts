import { beforeAll, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyChangeLog, KeyStore } from "../../src/domain/ports/keys.ts";
import { NOW, newKey } from "./records.ts";

/** What every KeyChangeLog promises. How it meets replicas and Redis is in `test/consistency`. */
export function keyChangeLogSuite(name: string, open: () => { keys: KeyStore; log: KeyChangeLog }): void {
  describe(`the list of changes in ${name}`, () => {
    let keys: KeyStore;
    let log: KeyChangeLog;

    beforeAll(() => {
      ({ keys, log } = open());
    });

    async function storedKey(): Promise<NewKey> {
      const key = newKey();
      await keys.insertKey(key);
      return key;
    }

    async function changed(cursor: string): Promise<string[]> {
      const { changes } = await log.readKeyChanges(cursor);
      return [...changes];
    }

    test("has a change for whoever asked before it, and for nobody who asks later", async () => {
      const [key, other] = [await storedKey(), await storedKey()];
      const before = await log.readKeyChanges(null);
      expect(before.changes).toEqual([]);
      for (const { record } of [key, other, key]) {
        await keys.mutateKey(record.tenantId, record.keyId, () => ({ patch: { disabledAt: NOW } }));
      }
      expect(await changed(before.cursor)).toEqual([key.secretHash, other.secretHash, key.secretHash]);
      const { cursor } = await log.readKeyChanges(before.cursor);
      expect(await changed(cursor)).toEqual([]);
      expect((await log.readKeyChanges(null)).changes).toEqual([]);
    });

    test("has no key that was only made or used, and none whose change was taken back", async () => {
      const { cursor } = await log.readKeyChanges(null);
      const key = await storedKey();
      const { record } = key;
      const counts = { total: 1, successful: 1, failed: 0, lastUsedAt: NOW };
      await keys.addUsage(record.keyId, new Map([[record.keyId, counts]]));
      const taken = keys.mutateKey(record.tenantId, record.keyId, () => {
        throw new Error("no");
      });
      await expect(taken).rejects.toThrow("no");
      expect(await changed(cursor)).not.toContain(key.secretHash);
    });
  });
}
