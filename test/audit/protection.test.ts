// promise: audit.committed, audit.refusals, audit.kept
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { ACT, ACTOR } from "../harness/act.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** An audit trail in a PostgreSQL database, as the role that serves has it. */
async function open() {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  await migrateToLatest(database);
  const serving = new pg.Client({ connectionString: url });
  await serving.connect();
  cleanUps.push(
    () => database.close(),
    () => serving.end(),
  );
  const insertEvents = (count: number, daysAgo: number) =>
    serving.query(
      `insert into audit_events (event_id, at, actor, actor_id, action, target_id, changes, request_id)
       select gen_random_uuid()::text, now() - make_interval(days => $2), '{}', '', 'x', '', '{}', '' from generate_series(1, $1::int)`,
      [count, daysAgo],
    );
  const count = async () => Number((await serving.query("select count(*) from audit_events")).rows[0].count);
  return { database, serving, insertEvents, count, audit: createAuditTrail(database) };
}

describe("the role that serves", () => {
  test.each([
    "update audit_events set action = 'nothing'",
    "update audit_events set at = at - interval '10 years'",
    "delete from audit_events",
    "truncate audit_events",
    "begin; select set_config('latchkey.audit_days', '0', true); delete from audit_events; commit",
    "begin; select set_config('latchkey.audit_days', '-400', true); delete from audit_events; commit",
  ])("cannot run: %s", async (statement) => {
    const { serving, insertEvents, count } = await open();
    await insertEvents(3, 0);
    await expect(serving.query(statement)).rejects.toThrow("can be neither changed nor removed");
    await serving.query("rollback");
    expect(await count()).toBe(3);
  });

  test("cannot remove old events by the way, but only as the removal of old events does", async () => {
    const { serving, insertEvents, count } = await open();
    await insertEvents(3, 500);
    await expect(serving.query("delete from audit_events")).rejects.toThrow("neither changed nor removed");
    expect(await count()).toBe(3);
  });
});

describe("the removal of old events", () => {
  test("removes those that are older, in pieces, and no other", async () => {
    const { audit, insertEvents, count } = await open();
    await insertEvents(2_500, 366);
    await insertEvents(7, 364);
    expect([await audit.removeOld(365), await audit.removeOld(365), await audit.removeOld(365)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await count()).toBe(7);
    expect(await audit.removeOld(365)).toBe(false);
  });

  test("can run on several replicas at once", async () => {
    const { audit, insertEvents, count } = await open();
    await insertEvents(3_000, 400);
    for (let more = true; more; ) {
      more = (await Promise.all(Array.from({ length: 4 }, () => audit.removeOld(365)))).some(Boolean);
    }
    expect(await count()).toBe(0);
  });
});

test("a change whose event cannot be stored is not made", async () => {
  const { database, serving } = await open();
  const keys = createKeyStore(database);
  const key = newKey();
  await keys.insertKey(key, ACT);
  const { tenantId, keyId } = key.record;
  await serving.query(
    "alter table audit_events add constraint full_disk check (action <> 'api_key.revoked') not valid",
  );
  const revoke = keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { revokedAt: new Date() } }), {
    ...ACT,
    action: "api_key.revoked",
  });
  await expect(revoke).rejects.toThrow();
  expect(await keys.findKey(tenantId, keyId)).toMatchObject({ revokedAt: null });
});

test("ten refusals of an actor within a minute are stored one by one, over all replicas together", async () => {
  const { audit, count } = await open();
  const { action: _, ...origin } = ACT;
  const refused = { ...origin, tenantId: "ten_1", rpc: "s/M", reason: "insufficient_scope", count: 1 };
  const stored = await Promise.all(Array.from({ length: 40 }, () => audit.insertRefusal(refused)));
  expect(stored.filter(Boolean)).toHaveLength(10);
  expect(await count()).toBe(10);
  expect(await audit.insertRefusal({ ...refused, tenantId: "ten_2" })).toBe(true);
  expect(await audit.insertRefusal({ ...refused, actor: { ...ACTOR, userId: "user-2" } })).toBe(true);
});
