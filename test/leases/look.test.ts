import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { CompiledQuery } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { isVisible } from "../../src/store/replicas/replica-table.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey, usesAt } from "../store/records.ts";
import { LeaseDatabase } from "./database.ts";

/** The most changes that one look reads. */
const CHANGES_MAX = 10_000;

let db: LeaseDatabase;

beforeAll(async () => {
  db = await LeaseDatabase.open();
});
afterAll(() => db.close());
afterEach(() => db.disconnect());

describe("a look", () => {
  test("lists what was committed since the snapshot that it is given, and not what that shows", async () => {
    const [key, other] = [await db.insertedKey(), await db.insertedKey()];
    const first = await db.look();
    expect(first).toMatchObject({ isAll: false, changed: [] });
    await db.change(key, other, key);
    const second = await db.look(first.snapshot);
    expect(second.isAll).toBe(true);
    expect([...second.changed].sort()).toEqual([key, key, other].map(({ secretHash }) => secretHash).sort());
    expect(await db.look(second.snapshot)).toMatchObject({ isAll: true, changed: [] });
  });

  test("lists no key that was only created or used, and none whose change was rolled back", async () => {
    const { snapshot } = await db.look();
    const { record } = await db.insertedKey();
    await db.keys.addUsage(randomUUID(), new Map([[record.keyId, usesAt(new Date(), { successful: 1 })]]));
    const denied = db.keys.updateKeyUnderLock(
      record.tenantId,
      record.keyId,
      () => {
        throw new Error("no");
      },
      ACT,
    );
    await expect(denied).rejects.toThrow("no");
    expect((await db.look(snapshot)).changed).toEqual([]);
  });

  test.each([
    ["changed", "update api_keys set revoked_at = now() where key_id = $1"],
    ["deleted", "delete from api_keys where key_id = $1"],
  ])("lists a key that was %s by hand", async (_, statement) => {
    const key = await db.insertedKey();
    const { snapshot } = await db.look();
    await db.query(statement, [key.record.keyId]);
    expect((await db.look(snapshot)).changed).toEqual([key.secretHash]);
  });

  test("lists a change that is committed long after later ones, with a lower number than theirs", async () => {
    const [slow, quick] = [await db.insertedKey(), await db.insertedKey()];
    const first = await db.look();
    const client = await db.connect();
    await client.query("begin");
    await client.query("update api_keys set revoked_at = now() where key_id = $1", [slow.record.keyId]);
    await db.change(quick);
    const second = await db.look(first.snapshot);
    expect(second.changed).toEqual([quick.secretHash]);
    await client.query("commit");
    const numbers = await db.query<{ hash: Buffer }>(
      "select secret_hash as hash from key_changes order by seq desc limit 2",
    );
    expect(numbers.map(({ hash }) => hash.toString("base64url"))).toEqual([quick.secretHash, slow.secretHash]);
    expect((await db.look(second.snapshot)).changed).toEqual([slow.secretHash]);
  });

  test("lists a change once, also while an older transaction is open, in whatever database of the server", async () => {
    const otherUrl = await copyDatabase(inject("servingTemplate").adminUrl);
    const jobs = [await db.connect({ connectionString: otherUrl }), await db.connect()];
    for (const job of jobs) await job.query("begin; select pg_current_xact_id()");
    const before = await db.look();
    for (let n = 0; n < 2; n++) await db.logChanges(6_000);
    const after = await db.look(before.snapshot);
    expect(after.isAll).toBe(false);
    const key = await db.insertedKey();
    await db.change(key);
    const last = await db.look(after.snapshot);
    expect(last).toMatchObject({ isAll: true, changed: [key.secretHash] });
    for (const job of jobs) await job.query("commit");
    expect(await db.look(last.snapshot)).toMatchObject({ isAll: true, changed: [] });
    await db.disconnect();
    await dropDatabase(inject("postgresUrl"), otherUrl);
  });

  test("knows that it lacks changes when there are more than 10,000, and has all again the next time", async () => {
    const first = await db.look();
    await db.logChanges(CHANGES_MAX);
    const second = await db.look(first.snapshot);
    expect([second.isAll, second.changed.length]).toEqual([true, CHANGES_MAX]);
    await db.logChanges(CHANGES_MAX + 1);
    const third = await db.look(second.snapshot);
    expect(third.isAll).toBe(false);
    expect(await db.look(third.snapshot)).toMatchObject({ isAll: true, changed: [] });
  });

  test("ignores changes with transaction ids in the future, as in a dump of another server", async () => {
    const { snapshot } = await db.look();
    await db.logChanges(CHANGES_MAX + 1, "'999999999999'::xid8");
    expect(await db.look(snapshot)).toMatchObject({ isAll: true, changed: [] });
  });

  test("knows that it lacks changes since a snapshot of a server that was further ahead", async () => {
    const { snapshot } = await db.look();
    expect((await db.look("999999999999:999999999999:")).isAll).toBe(false);
    expect((await db.look(snapshot)).isAll).toBe(true);
  });

  test("has the time of the server, in whole milliseconds and never ahead of it", async () => {
    const timeMs = async () => {
      const [row] = await db.query<{ ms: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as ms");
      return row?.ms ?? Number.NaN;
    };
    const before = await timeMs();
    const { nowMs } = await db.look();
    expect(Number.isInteger(nowMs)).toBe(true);
    expect(nowMs).toBeGreaterThanOrEqual(Math.floor(before));
    expect(nowMs).toBeLessThanOrEqual(await timeMs());
  });
});

describe("a mark", () => {
  test("is in each look until it is deleted, by its id: a key may have several", async () => {
    const { secretHash } = await db.insertedKey();
    const [one, other] = [await db.table.insertMark(secretHash), await db.table.insertMark(secretHash)];
    const marksOf = async () =>
      [...(await db.look()).marks].filter(([, hash]) => hash === secretHash).map(([id]) => id);
    expect((await marksOf()).sort()).toEqual([one.markId, other.markId].sort());
    await db.table.deleteMark(one.markId);
    await db.table.deleteMark(one.markId);
    expect(await marksOf()).toEqual([other.markId]);
    await db.table.deleteMark(other.markId);
    expect(await marksOf()).toEqual([]);
  });

  test("counts for a minute, and the next mark removes it", async () => {
    const { secretHash } = await db.insertedKey();
    const age = (markId: string, seconds: number) =>
      db.query(
        `update key_marks set marked_at = clock_timestamp() - ${seconds} * interval '1 second' where mark_id = $1`,
        [markId],
      );
    const [old, young] = [await db.table.insertMark(secretHash), await db.table.insertMark(secretHash)];
    await age(old.markId, 60);
    await age(young.markId, 50);
    expect([...(await db.look()).marks.keys()]).toEqual([young.markId]);
    const next = await db.table.insertMark(secretHash);
    const rows = await db.query<{ id: string }>("select mark_id::text as id from key_marks order by mark_id");
    expect(rows.map(({ id }) => id)).toEqual([young.markId, next.markId]);
    await db.query("delete from key_marks");
  });

  test("is visible in the snapshots that show its transaction, and in no other", async () => {
    const before = await db.look();
    const { transactionId, markId } = await db.table.insertMark(newKey().secretHash);
    const after = await db.look();
    expect(isVisible(transactionId, before.snapshot)).toBe(false);
    expect(isVisible(transactionId, after.snapshot)).toBe(true);
    await db.table.deleteMark(markId);
  });
});

test("whether a transaction is visible in a snapshot is what PostgreSQL says", async () => {
  const client = await db.connect();
  const id = fc.bigInt({ min: 3n, max: 30n }).map((n) => n + 4_294_967_300n);
  const snapshot = fc.tuple(id, id, fc.uniqueArray(id, { maxLength: 9 })).map(([one, other, underWay]) => {
    const [xmin, xmax] = one < other ? [one, other] : [other, one];
    const listed = underWay.filter((each) => each >= xmin && each < xmax).sort((a, b) => Number(a - b));
    return `${xmin}:${xmax}:${listed.join()}`;
  });
  const property = fc.asyncProperty(snapshot, id, async (text, transactionId) => {
    const { rows } = await client.query("select pg_visible_in_snapshot($1::xid8, $2::pg_snapshot) as visible", [
      String(transactionId),
      text,
    ]);
    expect(isVisible(String(transactionId), text)).toBe(rows[0]?.visible);
  });
  await fc.assert(property, { numRuns: 500 });
});

describe("the row of a replica", () => {
  test("is found by its looks, counts its renewals, and has what it has seen", async () => {
    const id = randomUUID();
    const rowOf = async () => (await db.table.readReplicas()).find(({ replicaId }) => replicaId === id);
    expect((await db.table.look(id, null)).isListed).toBe(false);
    expect(await db.table.renew(id, await db.here("1:1:"))).toBe(false);
    await db.table.acknowledge(id, await db.here("1:1:"));
    expect(await rowOf()).toBeUndefined();
    await db.table.register(id);
    expect((await db.table.look(id, null)).isListed).toBe(true);
    const { server } = await db.look();
    expect(await rowOf()).toEqual({ replicaId: id, server, beats: 0, seen: null, counted: null });
    await db.table.acknowledge(id, await db.here("10:20:15"));
    expect(await rowOf()).toEqual({ replicaId: id, server, beats: 0, seen: "10:20:15", counted: null });
    await db.table.acknowledgeUsage(id, await db.here("25:25:"));
    expect(await db.table.renew(id, await db.here("30:30:"))).toBe(true);
    expect(await rowOf()).toEqual({ replicaId: id, server, beats: 1, seen: "30:30:", counted: "25:25:" });
    await db.table.leave(id);
    await db.table.leave(id);
    expect(await rowOf()).toBeUndefined();
  });

  test("is acknowledged only on the server of the look, and renewed on any: a snapshot of another one shows other transactions", async () => {
    const id = randomUUID();
    const rowOf = async () => (await db.table.readReplicas()).find(({ replicaId }) => replicaId === id);
    await db.table.register(id);
    const elsewhere = { snapshot: "30:30:", server: "another server" };
    await db.table.acknowledge(id, elsewhere);
    await db.table.acknowledgeUsage(id, elsewhere);
    expect(await db.table.renew(id, elsewhere)).toBe(true);
    expect(await rowOf()).toMatchObject({ beats: 1, seen: null, counted: null });
    await db.table.leave(id);
  });

  test("is removed by others only if it was not renewed since", async () => {
    const id = randomUUID();
    await db.table.register(id);
    await db.table.renew(id, await db.here("1:1:"));
    await db.table.removeReplica(id, 0);
    expect((await db.table.look(id, null)).isListed).toBe(true);
    await db.table.removeReplica(id, 1);
    expect((await db.table.look(id, null)).isListed).toBe(false);
  });

  test("is acknowledged by a setting that ends with the statement: the next ones are durable again", async () => {
    const id = randomUUID();
    await db.table.register(id);
    await db.table.acknowledge(id, await db.here("1:1:"));
    const shown = Array.from({ length: 2 }, () =>
      db.database.control.executeQuery(CompiledQuery.raw("show synchronous_commit")),
    );
    for (const { rows } of await Promise.all(shown)) expect(rows).toEqual([{ synchronous_commit: "on" }]);
    await db.table.leave(id);
  });
});

test("a database that is gone is an outage for every step", async () => {
  const gone = await LeaseDatabase.open();
  const { table } = gone;
  await gone.close();
  const id = randomUUID();
  const steps = [
    table.register(id),
    table.look(id, null),
    table.acknowledge(id, { snapshot: "1:1:", server: "" }),
    table.renew(id, { snapshot: "1:1:", server: "" }),
    table.readReplicas(),
    table.removeReplica(id, 0),
    table.leave(id),
    table.insertMark(newKey().secretHash),
    table.deleteMark("1"),
  ];
  for (const { status, ...outcome } of await Promise.allSettled(steps)) {
    expect({ status, ...outcome }).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
  }
});
