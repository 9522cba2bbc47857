// promise: keys.retention
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { removeEndedKeys } from "../../src/domain/keys/retention.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { createKeyRetention } from "../../src/store/sql/keys/key-retention.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { createUsageStore } from "../../src/store/sql/usage/usage-store.ts";
import { ACT } from "../harness/act.ts";
import { newKey, usesAt } from "./records.ts";
import { dumpTables } from "./table-dump.ts";

const DAY_MS = 86_400_000;
/** Long before the keys of the other suites end. */
const START = new Date("2001-01-01T00:00:00Z");
const PIECE = 10;
const PAGE = { page: 1, perPage: 100 };

const day = (days: number): Date => new Date(START.getTime() + days * DAY_MS);

/** What the removal of ended keys promises. */
export function keyRetentionSuite(name: string, open: () => SqlDatabase): void {
  describe(`retention of keys in ${name}`, () => {
    const keys = () => createKeyStore(open());

    async function insert(fields: Partial<KeyRecord>): Promise<NewKey> {
      const key = newKey({ tenantId: newId("ten"), createdAt: START, ...fields });
      await keys().insertKey(key, ACT);
      return key;
    }

    const isThere = async ({ secretHash }: NewKey) => (await keys().findKeyBySecretHash(secretHash)) !== undefined;

    /** As it is on that day, with so many days. */
    async function remove(days: number, at: Date): Promise<number> {
      const retention = createKeyRetention(open(), PIECE);
      let pieces = 1;
      for (; await removeEndedKeys(retention, days, at); pieces++);
      return pieces;
    }

    test.each<[string, Partial<KeyRecord>]>([
      ["revoked", { revokedAt: day(10) }],
      ["expired", { expiresAt: day(10) }],
      ["expired, then revoked", { expiresAt: day(10), revokedAt: day(30) }],
      ["revoked before its expiry", { expiresAt: day(400), revokedAt: day(10) }],
      ["expired while it was disabled", { expiresAt: day(10), disabledAt: day(5) }],
    ])("a key that was %s is kept for the days, and not a millisecond longer", async (_, fields) => {
      const key = await insert(fields);
      await remove(7, day(17));
      expect(await isThere(key)).toBe(true);
      await remove(7, new Date(day(17).getTime() + 1));
      expect(await isThere(key)).toBe(false);
    });

    // threat: Q18
    test.each<[string, Partial<KeyRecord>]>([
      ["active", {}],
      ["disabled", { disabledAt: START }],
      ["yet to expire", { expiresAt: day(5_000) }],
    ])("a key that is %s is never removed", async (_, fields) => {
      const key = await insert(fields);
      await remove(1, day(4_000));
      expect(await isThere(key)).toBe(true);
    });

    test("nothing is left of a key but its uses by the hour, which stay its tenant's", async () => {
      const key = await insert({ revokedAt: day(10) });
      const { keyId, tenantId } = key.record;
      const history = createUsageStore(open());
      const use = () => keys().addUsage(randomUUID(), new Map([[keyId, usesAt(day(9), { successful: 3 })]]));
      const period = { step: "hour", from: START, to: day(20) } as const;
      await use();
      await sql`
        insert into key_lifecycle_events (key_id, kind, due, at)
        values (${keyId}, 'unused', now(), now())`.execute(open().db);
      await remove(1, day(12));
      // Of a process that had counted it before.
      await use();
      const lines = (await dumpTables(open())).split("\n").filter((line) => line.includes(keyId));
      expect(lines.map((line) => line.split(" ")[0])).toEqual(["audit_events", "key_usage_hours"]);
      expect(await history.readTenant(tenantId, period)).toEqual([{ from: day(9), failure: null, count: 3 }]);
      const usage = { total: 3, successful: 3, failed: 0 };
      expect(await history.readTopKeys(tenantId, period, 1)).toEqual([{ keyId, name: "", usage }]);
    });

    test("the other key of a rotation stays as it is, whichever ends first", async () => {
      for (const [ofOld, ofNew] of [
        [{ expiresAt: day(10) }, {}],
        [{ expiresAt: day(40) }, { revokedAt: day(10) }],
      ] as const) {
        const [oldId, newKeyId, tenantId] = [newId("key"), newId("key"), newId("ten")];
        const old = await insert({ ...ofOld, tenantId, keyId: oldId, rotatedTo: newKeyId });
        const next = await insert({ ...ofNew, tenantId, keyId: newKeyId, rotatedFrom: oldId, budgetId: oldId });
        const before = await keys().listKeys(tenantId, { status: null, now: START }, PAGE);
        await remove(1, day(12));
        const [removed, kept] = "revokedAt" in ofNew ? [next, old] : [old, next];
        expect([await isThere(removed), await isThere(kept)]).toEqual([false, true]);
        const after = await keys().listKeys(tenantId, { status: null, now: START }, PAGE);
        expect(after.items).toEqual(before.items.filter(({ keyId }) => keyId === kept.record.keyId));
        const rename = () => ({ patch: { name: "renamed" } });
        const renamed = await keys().updateKeyUnderLock(tenantId, kept.record.keyId, rename, ACT);
        expect(renamed).toMatchObject({ name: "renamed" });
      }
    });

    test("many keys go in pieces, by several replicas, and the tenant counts those that are left", async () => {
      const tenantId = newId("ten");
      for (let n = 0; n < 3 * PIECE; n++) await insert({ tenantId, revokedAt: day(10) });
      const kept = await insert({ tenantId });
      const count = async () => (await createTenantStore(open()).setSuspension(tenantId, null, ACT)).keyCount;
      expect(await count()).toBe(3 * PIECE + 1);
      const pieces = await Promise.all([remove(1, day(12)), remove(1, day(12))]);
      expect(pieces[0] + pieces[1]).toBeGreaterThanOrEqual(4);
      await remove(1, day(12));
      expect(await count()).toBe(1);
      expect(await isThere(kept)).toBe(true);
    });

    test("a key that another session has locked is left to the next piece", async () => {
      const key = await insert({ revokedAt: day(10) });
      await open()
        .db.transaction()
        .execute(async (trx) => {
          if (name === "PGlite") return;
          await sql`select from api_keys where key_id = ${key.record.keyId} for update`.execute(trx);
          await remove(1, day(12));
          expect(await isThere(key)).toBe(true);
        });
      await remove(1, day(12));
      expect(await isThere(key)).toBe(false);
    });
  });
}
