import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { ACT } from "../harness/act.ts";
import { createDatabase, type PostgresServer, startOwnPostgres } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

/** A server of its own: the purge depends on the open transactions of the whole server. */
let server: PostgresServer;
let url: string;
let database: SqlDatabase;
let admin: pg.Client;
const clients: pg.Client[] = [];

beforeAll(async () => {
  server = await startOwnPostgres();
});
afterAll(() => server.stop());

beforeEach(async () => {
  url = await createDatabase(server.url);
  database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  await migrateToLatest(database);
  admin = await connect();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await database.close();
});

async function connect(options = ""): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  clients.push(client);
  return client;
}

async function insertedKey(): Promise<NewKey> {
  const key = newKey();
  await createKeyStore(database).insertKey(key, ACT);
  return key;
}

async function change(client: pg.Client, ...keys: NewKey[]): Promise<void> {
  const ids = keys.map(({ record }) => record.keyId);
  await client.query("update api_keys set name = name || 'x' where key_id = any($1)", [ids]);
}

/** Moves the times that the client can see back by ten minutes and a second. */
async function tenMinutesPass(client = admin): Promise<void> {
  await client.query("update key_changes set changed_at = changed_at - interval '601 seconds'");
  await client.query("update key_changes_watermark set taken_at = taken_at - interval '601 seconds'");
}

async function listed(): Promise<string[]> {
  const { rows } = await admin.query<{ secret_hash: Buffer }>("select secret_hash from key_changes order by seq");
  return rows.map(({ secret_hash }) => secret_hash.toString("base64url"));
}

async function list(changes: number, transactionId = "pg_current_xact_id()"): Promise<void> {
  await admin.query(
    `insert into key_changes (secret_hash, transaction_id) select '\\x00', ${transactionId} from generate_series(1, ${changes})`,
  );
}

/** Twice, so that the snapshot is renewed and then used. */
async function tenMinutesPassTwice(key: NewKey): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await tenMinutesPass();
    await change(admin, key);
  }
}

/** Called after a commit. `other` is another key, whose changes purge old changes. */
async function expectListedForTenMinutes(committed: NewKey, other: NewKey): Promise<void> {
  await change(admin, other);
  expect(await listed()).toContain(committed.secretHash);
  await tenMinutesPass();
  await change(admin, other);
  expect(await listed()).not.toContain(committed.secretHash);
}

test("a change is listed for ten minutes from its commit on, however long its transaction took", async () => {
  const [slow, other] = [await insertedKey(), await insertedKey()];
  const operator = await connect();
  await operator.query("begin");
  await change(operator, slow);
  await operator.query("update key_changes set changed_at = changed_at - interval '20 minutes'");
  await tenMinutesPassTwice(other);
  await tenMinutesPass();
  await operator.query("commit");
  await expectListedForTenMinutes(slow, other);
});

test("a change is listed for ten minutes also if its own transaction took the snapshot", async () => {
  const [slow, other] = [await insertedKey(), await insertedKey()];
  const operator = await connect();
  await operator.query("begin");
  await operator.query("select pg_current_xact_id()");
  // Later transactions have ended, so that its own snapshot shows its changes.
  await tenMinutesPass();
  await change(operator, slow);
  await tenMinutesPass(operator);
  await operator.query("commit");
  await expectListedForTenMinutes(slow, other);
});

test("old changes are purged, also while a transaction is open for hours", async () => {
  const key = await insertedKey();
  const busy = await connect();
  await busy.query("begin");
  await busy.query("select pg_current_xact_id()");
  await list(2_500);
  await tenMinutesPassTwice(key);
  for (const left of [1_500, 500, 0]) {
    expect((await listed()).filter((hash) => hash !== key.secretHash)).toHaveLength(left);
    await change(admin, key);
  }
  await busy.query("commit");
});

test("no change waits for another that purges old ones", async () => {
  const [one, other] = [await insertedKey(), await insertedKey()];
  await list(10);
  await tenMinutesPassTwice(one);
  await tenMinutesPass();
  const slow = await connect();
  await slow.query("begin");
  await change(slow, one);
  await change(await connect("-c lock_timeout=1s"), other);
  expect(await listed()).toContain(other.secretHash);
  await slow.query("commit");
});

test("a change reads no changes that are not old, and a statement that changes many keys purges old ones once", async () => {
  await list(5_000);
  await admin.query("analyze key_changes");
  const keys = await Promise.all(Array.from({ length: 20 }, insertedKey));
  // A connection of its own, because the counters are those of the connection.
  const changer = await connect();
  await changer.query("begin");
  await change(changer, ...keys);
  const { rows } = await changer.query<{ name: string; read: number; scans: number; listed: number }>(`
    select
      relname as name, seq_tup_read::int + coalesce(idx_tup_fetch, 0)::int as read,
      seq_scan::int + coalesce(idx_scan, 0)::int as scans, n_tup_ins::int as listed
    from pg_stat_xact_user_tables where relname like 'key_changes%' order by relname`);
  await changer.query("rollback");
  expect(rows).toEqual([
    { name: "key_changes", read: 0, scans: 0, listed: keys.length },
    { name: "key_changes_watermark", read: 1, scans: 1, listed: 0 },
  ]);
});

test("changes from the dump of a server that was further ahead are purged, and those of this server are not", async () => {
  const [key, other] = [await insertedKey(), await insertedKey()];
  await list(10, "'99999999999'");
  await admin.query("update key_changes_watermark set snapshot = '99999999990:99999999990:'");
  await change(admin, other);
  await tenMinutesPass();
  await change(admin, key);
  expect((await listed()).sort()).toEqual([key.secretHash, other.secretHash].sort());
});

test("a role that may change keys and write the log, but has no rights on later tables, purges old changes, too", async () => {
  const key = await insertedKey();
  const role = `changer_${key.record.keyId.toLowerCase().replaceAll(/\W/g, "")}`;
  await admin.query(`create role ${role}`);
  await admin.query(`grant select, insert, update, delete on api_keys, key_changes to ${role}`);
  const changer = await connect();
  await changer.query(`set role ${role}`);
  // The role's own tables do not interfere.
  await changer.query("create temp table key_changes_watermark (transaction_id xid8)");
  await list(10);
  for (let times = 0; times < 2; times++) {
    await tenMinutesPass();
    await change(changer, key);
  }
  expect(new Set(await listed())).toEqual(new Set([key.secretHash]));
  await admin.query(`drop owned by ${role}; drop role ${role}`);
});

test("the trigger that lists changes fires for an update of any column, so that none is forgotten", async () => {
  const restricted = "select 1 from information_schema.triggered_update_columns where trigger_name = 'key_changed'";
  expect((await admin.query(restricted)).rows).toEqual([]);
  const fired =
    "select event_manipulation from information_schema.triggers where trigger_name = 'key_changed' order by 1";
  const events = [{ event_manipulation: "DELETE" }, { event_manipulation: "UPDATE" }];
  expect((await admin.query(fired)).rows).toEqual(events);
});

describe("a look since a snapshot from before", () => {
  const REPLICA = "00000000-0000-4000-8000-000000000000";
  const look = (since: string | null = null) => createReplicaTable(database).look(REPLICA, since);
  const isWhole = async (snapshot: string) => (await look(snapshot)).isAll;

  test("a purge knows that it lacks changes, and since a snapshot that shows what was purged it does not", async () => {
    const [key, other] = [await insertedKey(), await insertedKey()];
    const before = await look();
    await change(admin, key);
    const after = await look(before.snapshot);
    expect(after.changed).toEqual([key.secretHash]);
    // The first one stores a snapshot, the second one removes what that shows.
    await tenMinutesPass();
    await change(admin, other);
    const stored = await look(after.snapshot);
    expect([await isWhole(before.snapshot), await isWhole(after.snapshot)]).toEqual([true, true]);
    await tenMinutesPass();
    await change(admin, other);
    expect(await listed()).not.toContain(key.secretHash);
    expect(await isWhole(before.snapshot)).toBe(false);
    expect(await look(stored.snapshot)).toMatchObject({ isAll: true, changed: [other.secretHash] });
    expect(await isWhole((await look()).snapshot)).toBe(true);
  });

  test("a purge whose transaction is open does not lack what that has not removed yet", async () => {
    const [key, other] = [await insertedKey(), await insertedKey()];
    const before = await look();
    await change(admin, key);
    await tenMinutesPass();
    await change(admin, other);
    const purging = await connect();
    await tenMinutesPass();
    await purging.query("begin");
    await change(purging, other);
    const during = await look(before.snapshot);
    expect(during.isAll).toBe(true);
    expect(during.changed).toContain(key.secretHash);
    await purging.query("commit");
    expect(await isWhole(before.snapshot)).toBe(false);
  });

  test.each([
    ["a DELETE", "delete from key_changes"],
    ["a DELETE of one change", "delete from key_changes where seq = (select max(seq) from key_changes)"],
    ["a TRUNCATE", "truncate key_changes"],
    ["a DELETE of the row that would say so", "delete from key_changes; delete from key_changes_watermark"],
  ])("%s by hand knows that it lacks changes", async (_, statement) => {
    const key = await insertedKey();
    const before = await look();
    await change(admin, key);
    const after = await look(before.snapshot);
    expect(after.isAll).toBe(true);
    await admin.query(statement);
    expect([await isWhole(before.snapshot), await isWhole(after.snapshot)]).toEqual([false, false]);
  });

  test("since a snapshot from after a DELETE or a TRUNCATE by hand nothing is missing", async () => {
    const key = await insertedKey();
    await change(admin, key);
    await admin.query("delete from key_changes");
    await admin.query("truncate key_changes");
    const { snapshot } = await look();
    expect(await isWhole(snapshot)).toBe(true);
    await change(admin, key);
    expect(await look(snapshot)).toMatchObject({ isAll: true, changed: [key.secretHash] });
  });
});

test("a promised change is kept for a day after the next one, however old it is: a process may know nothing newer", async () => {
  const table = createReplicaTable(database);
  const idle = await promise("9 days");
  const asked = async (...ids: string[]) => (await table.look(randomUUID(), null, ids)).history.hasNewest;
  const mark = () => table.insertMark(newKey().secretHash);
  await mark();
  expect(await asked(idle)).toBe(true);
  // After a quiet week two changes come at once: the mark of the second removes old ones.
  const first = await promise("1 second");
  await mark();
  expect(await asked(idle, first)).toBe(true);
  await admin.query("update promised_changes set made_at = made_at - interval '25 hours' where change_id = $1", [
    first,
  ]);
  await mark();
  expect(await asked(idle)).toBe(false);
  expect(await asked(first)).toBe(true);
});

/** Promises a change that is so old, and returns its id. */
async function promise(age: string): Promise<string> {
  const insert = "insert into promised_changes (made_at) values (now() - $1::interval) returning change_id";
  return (await admin.query<{ change_id: string }>(insert, [age])).rows[0]?.change_id ?? "";
}
