import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrate.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { createDatabase, type PostgresServer, startOwnPostgres } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

/** Of its own, as in `follower.test.ts`: whose transactions stay open here would hold up other tests, too. */
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
  await createKeyStore(database).insertKey(key);
  return key;
}

async function change(client: pg.Client, ...keys: NewKey[]): Promise<void> {
  const ids = keys.map(({ record }) => record.keyId);
  await client.query("update api_keys set name = name || 'x' where key_id = any($1)", [ids]);
}

/** Ten minutes and a second, for all that the client sees. */
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

/** Often enough for the snapshot to be renewed and used. */
async function tenMinutesPassTwice(key: NewKey): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await tenMinutesPass();
    await change(admin, key);
  }
}

/** From a commit on; `other` is another key, whose changes remove what is old. */
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

test("so is one whose own transaction looked what was committed", async () => {
  const [slow, other] = [await insertedKey(), await insertedKey()];
  const operator = await connect();
  await operator.query("begin");
  await operator.query("select pg_current_xact_id()");
  // Later transactions are over, so that a snapshot of its own shows what it does.
  await tenMinutesPass();
  await change(operator, slow);
  await tenMinutesPass(operator);
  await operator.query("commit");
  await expectListedForTenMinutes(slow, other);
});

test("the list forgets what is old, also beside a transaction that goes on for hours", async () => {
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

test("no change waits for another that forgets old ones", async () => {
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

test("a change reads none of those that are not old yet, and a statement that changes many keys forgets old ones once", async () => {
  await list(5_000);
  await admin.query("analyze key_changes");
  const keys = await Promise.all(Array.from({ length: 20 }, insertedKey));
  // A connection of its own: the counters are those of what it has done so far.
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

test("what a dump brought from a server that was further is forgotten, and nothing is that this server lists", async () => {
  const [key, other] = [await insertedKey(), await insertedKey()];
  await list(10, "'99999999999'");
  await admin.query("update key_changes_watermark set snapshot = '99999999990:99999999990:'");
  await change(admin, other);
  await tenMinutesPass();
  await change(admin, key);
  expect((await listed()).sort()).toEqual([key.secretHash, other.secretHash].sort());
});

test("a role that may change keys and list that, and has no right on later tables, forgets old changes, too", async () => {
  const key = await insertedKey();
  const role = `changer_${key.record.keyId.toLowerCase().replaceAll(/\W/g, "")}`;
  await admin.query(`create role ${role}`);
  await admin.query(`grant select, insert, update, delete on api_keys, key_changes to ${role}`);
  const changer = await connect();
  await changer.query(`set role ${role}`);
  // Tables of its own do not stand in the way.
  await changer.query("create temp table key_changes_watermark (transaction_id xid8)");
  await list(10);
  for (let times = 0; times < 2; times++) {
    await tenMinutesPass();
    await change(changer, key);
  }
  expect(new Set(await listed())).toEqual(new Set([key.secretHash]));
  await admin.query(`drop owned by ${role}; drop role ${role}`);
});
