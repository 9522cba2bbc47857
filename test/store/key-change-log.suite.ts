import { beforeAll, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyChangeLog, KeyStore } from "../../src/domain/ports/keys.ts";
import { NOW, newKey } from "./records.ts";

/** What every KeyChangeLog promises. Its use with replicas and Redis is tested in `test/consistency`. */
export function keyChangeLogSuite(name: string, open: () => { keys: KeyStore; log: KeyChangeLog }): void {
  describe(`the change log in ${name}`, () => {
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

    test("returns a change for a cursor from before it, and not for a later cursor", async () => {
      const [key, other] = [await storedKey(), await storedKey()];
      const before = await log.readKeyChanges(null);
      expect(before.changes).toEqual([]);
      for (const { record } of [key, other, key]) {
        await keys.updateKeyUnderLock(record.tenantId, record.keyId, () => ({ patch: { disabledAt: NOW } }));
      }
      expect(await changed(before.cursor)).toEqual([key.secretHash, other.secretHash, key.secretHash]);
      const { cursor } = await log.readKeyChanges(before.cursor);
      expect(await changed(cursor)).toEqual([]);
      expect((await log.readKeyChanges(null)).changes).toEqual([]);
    });

    test("has no key that was only created or used, and none whose change was rolled back", async () => {
      const { cursor } = await log.readKeyChanges(null);
      const key = await storedKey();
      const { record } = key;
      const counts = { total: 1, successful: 1, failed: 0, lastUsedAt: NOW };
      await keys.addUsage(record.keyId, new Map([[record.keyId, counts]]));
      const taken = keys.updateKeyUnderLock(record.tenantId, record.keyId, () => {
        throw new Error("no");
      });
      await expect(taken).rejects.toThrow("no");
      expect(await changed(cursor)).not.toContain(key.secretHash);
    });
  });
}
