import { sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { tenantSubject } from "../../src/store/replicas/subjects.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { KEY_COLUMNS } from "../../src/store/sql/keys/key-rows.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { ACT } from "../harness/act.ts";
import { createDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function open(): Promise<{ database: SqlDatabase; admin: pg.Client }> {
  const url = await createDatabase(inject("postgresUrl"));
  const database = await openDatabase({ kind: "postgres", url, poolSize: 2 });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  cleanUps.push(
    () => database.close(),
    () => admin.end(),
  );
  return { database, admin };
}

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: "YES" | "NO";
  readonly column_default: string | null;
  readonly is_identity: "YES" | "NO";
}

async function columns(admin: pg.Client): Promise<Column[]> {
  const { rows } = await admin.query<Column>(`
    select table_name, column_name, data_type, is_nullable, column_default, is_identity
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'`);
  return rows;
}

function upTo(name: string): typeof MIGRATIONS {
  return Object.fromEntries(Object.entries(MIGRATIONS).filter(([each]) => each <= name));
}

describe.each(Object.keys(MIGRATIONS).slice(1))("%s, under the code of the version before it,", (name) => {
  const [before = ""] = Object.keys(MIGRATIONS)
    .filter((each) => each < name)
    .slice(-1);

  test("keeps every column that this code reads, and accepts every row that it writes", async () => {
    const { database, admin } = await open();
    await migrateToLatest(database, { migrations: upTo(before) });
    const old = await columns(admin);
    expect(await migrateToLatest(database, { migrations: upTo(name) })).toEqual([name]);
    const all = await columns(admin);
    const same = (one: Column) => (other: Column) =>
      other.table_name === one.table_name && other.column_name === one.column_name;
    for (const column of old) {
      const now = all.find(same(column));
      expect(now).toMatchObject({ ...column, is_nullable: now?.is_nullable });
      if (column.is_nullable === "YES") expect(now?.is_nullable).toBe("YES");
    }
    const tables = new Set(old.map(({ table_name }) => table_name));
    for (const added of all.filter((column) => tables.has(column.table_name) && !old.some(same(column)))) {
      const fillsItself = added.is_nullable === "YES" || added.column_default !== null || added.is_identity === "YES";
      expect({ ...added, fillsItself }).toMatchObject({ fillsItself: true });
    }
  });
});

test("a version starts on the schema of a newer one, and changes nothing", async () => {
  const { database, admin } = await open();
  await migrateToLatest(database);
  await admin.query("insert into kysely_migration (name, timestamp) values ('9999-of-a-newer-version', '2030-01-01')");
  const before = await columns(admin);
  expect(await migrateToLatest(database)).toEqual([]);
  expect(await columns(admin)).toEqual(before);
});

test("a migration that waits for a dump does not block statements of the previous version, and ends after the dump", async () => {
  const { database, admin } = await open();
  await migrateToLatest(database, { migrations: upTo("0004-last-use") });
  await admin.query("begin");
  await admin.query("lock table messages in access share mode");
  let waits = 0;
  const migrating = migrateToLatest(database, { migrations: upTo("0005-message-bytes"), onWait: () => waits++ });
  while (waits < 2) {
    await expect(database.db.selectFrom("messages").select("message_id").execute()).resolves.toEqual([]);
  }
  await admin.query("commit");
  expect(await migrating).toEqual(["0005-message-bytes"]);
});

test("keys from before allow_browser have it, and so have those that the previous version makes", async () => {
  const { database, admin } = await open();
  await migrateToLatest(database, { migrations: upTo("0015-key-tags") });
  const insert = (keyId: string) =>
    admin.query(`
      insert into api_keys (
        key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
        requests_per_hour, burst_size, created_at, updated_at
      ) values (
        '${keyId}', 'ten_1', sha256('${keyId}'), 'sk_', 'secret', 'a', '', '["plans:read"]', 0, 0, 0, now(), now()
      )`);
  await insert("key_1");
  await migrateToLatest(database);
  await insert("key_2");
  for (const keyId of ["key_1", "key_2"]) {
    expect(await createKeyStore(database).findKey("ten_1", keyId)).toMatchObject({
      ...{ allowBrowser: true, allowedIps: [], allowedOrigins: [], metadata: null, externalId: "" },
    });
  }
});

test("a change of any column of a key's record by SQL is in the change log", async () => {
  const { database, admin } = await open();
  await migrateToLatest(database);
  await createKeyStore(database).insertKey(newKey(), ACT);
  for (const column of KEY_COLUMNS) {
    await admin.query("delete from key_changes");
    await admin.query(`update api_keys set ${column} = ${column}`);
    expect((await admin.query("select from key_changes")).rowCount, column).toBe(1);
  }
});

describe.each(["postgres", "embedded"] as const)("the trigger of suspensions on %s", (kind) => {
  async function openMigrated(): Promise<SqlDatabase> {
    if (kind === "embedded") {
      const database = await openDatabase({ kind, dataDir: "memory://" });
      cleanUps.push(() => database.close());
      await migrateToLatest(database);
      return database;
    }
    const { database } = await open();
    await migrateToLatest(database);
    return database;
  }

  async function changesSince({ db }: SqlDatabase, statement: Promise<unknown>): Promise<string[]> {
    await statement;
    const { rows } = await sql<{ hash: string }>`
      select encode(secret_hash, 'base64') as hash from key_changes order by seq`.execute(db);
    await sql`delete from key_changes`.execute(db);
    return rows.map(({ hash }) => Buffer.from(hash, "base64").toString("base64url"));
  }

  test("logs a change under the subject of its tenant, whatever the tenant's id", async () => {
    const database = await openMigrated();
    const { db } = database;
    const ids = ["acme", newId("ten"), " ", "Grüße, 你好, 😀, e\u0301", "\ufeff'\"\\", "é".repeat(256)];
    for (const id of ids) {
      const inserted = sql`insert into tenant_suspensions (tenant_id, reason) values (${id}, 'x')`.execute(db);
      expect(await changesSince(database, inserted)).toEqual([tenantSubject(id)]);
      const updated = sql`update tenant_suspensions set reason = 'y' where tenant_id = ${id}`.execute(db);
      expect(await changesSince(database, updated)).toEqual([tenantSubject(id)]);
      const deleted = sql`delete from tenant_suspensions where tenant_id = ${id}`.execute(db);
      expect(await changesSince(database, deleted)).toEqual([tenantSubject(id)]);
    }
  });

  test("logs both tenants if a row is given to another one, and a gap if all rows are truncated", async () => {
    const database = await openMigrated();
    const { db } = database;
    await changesSince(database, sql`insert into tenant_suspensions (tenant_id, reason) values ('a', 'x')`.execute(db));
    const moved = sql`update tenant_suspensions set tenant_id = 'b'`.execute(db);
    expect(new Set(await changesSince(database, moved))).toEqual(new Set([tenantSubject("a"), tenantSubject("b")]));
    const cut = async () =>
      (await sql<{ cut: string }>`select purged_by::text as cut from key_changes_watermark`.execute(db)).rows[0]?.cut;
    const before = await cut();
    await sql`truncate tenant_suspensions`.execute(db);
    expect(await cut()).not.toBe(before);
  });
});
