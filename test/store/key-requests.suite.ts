// promise: repeat.secrets
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { IdempotentReplay, idempotentCall } from "../../src/domain/idempotency/idempotent-call.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { createIdempotentCalls } from "../../src/store/sql/idempotency/idempotent-calls.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { NO_CACHE } from "../../src/store/sql/replicas/bound-change.ts";
import { ACT } from "../harness/act.ts";
import { HOUR, TestClock } from "../harness/test-clock.ts";
import { newKey } from "./records.ts";

/** What the stores of SQL promise of calls that can be repeated, by those that make a key. */
export function idempotentCallsSuite(name: string, open: () => SqlDatabase): void {
  describe(`calls that can be repeated in ${name}`, () => {
    function start() {
      const clock = new TestClock();
      const keys = createKeyStore(open(), NO_CACHE, clock.now);
      const tenantId = newId("ten");
      const calls = createIdempotentCalls(open(), clock.now);
      const call = idempotentCall("once", tenantId, ACT, "create", { name: "a" });
      if (call === undefined) throw new Error("the call has an id");
      const insert = () => {
        const key = newKey({ tenantId });
        return keys.insertKey(key, ACT, () => {}, call).then(() => key.record.keyId);
      };
      return { clock, keys, calls, tenantId, call, insert };
    }

    // threat: R16, Q9
    test("of many at once one makes its key, and the others name it and change nothing", async () => {
      const { calls, tenantId, call, insert } = start();
      const all = await Promise.allSettled(Array.from({ length: 6 }, insert));
      const made = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(made).toHaveLength(1);
      for (const one of all) {
        if (one.status === "rejected") expect(one.reason).toMatchObject({ record: { madeId: made[0] } });
      }
      expect((await calls.findRecord(call))?.madeId).toBe(made[0]);
      const { rows } = await sql`select 1 from api_keys where tenant_id = ${tenantId}`.execute(open().db);
      expect(rows).toHaveLength(1);
    });

    test("one that fails leaves its id free", async () => {
      const { keys, calls, tenantId, call, insert } = start();
      const refuse = () => {
        throw new Error("beyond a rule");
      };
      await expect(keys.insertKey(newKey({ tenantId }), ACT, refuse, call)).rejects.toThrow("beyond a rule");
      expect(await calls.findRecord(call)).toBeUndefined();
      expect(await insert()).toMatch(/^key_/);
    });

    test("are forgotten after 24 hours, and then removed, and younger ones are not", async () => {
      const { clock, calls, call, insert } = start();
      const keyId = await insert();
      const kept = async () => {
        while (await calls.removeOld());
        const { rows } = await sql`select 1 from key_requests where key_id = ${keyId}`.execute(open().db);
        return rows.length;
      };
      clock.advance(24 * HOUR - 60_000);
      expect(await kept()).toBe(1);
      await expect(insert()).rejects.toThrow(IdempotentReplay);
      clock.advance(60_001);
      expect(await calls.findRecord(call)).toBeUndefined();
      expect(await kept()).toBe(0);
      expect(await insert()).not.toBe(keyId);
    });
  });
}
