import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, expect, inject, test } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createDatabase } from "../servers/postgres.ts";

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

/** The latest schema, and a migration that is not there yet. */
function withNext(statement: string): typeof MIGRATIONS {
  return { ...MIGRATIONS, "9999-next": { up: async (db) => void (await sql.raw(statement).execute(db)) } };
}

/** Why code that knows the columns of before does not work with those of after: it reads each of them, and writes rows. */
function breaks(before: readonly Column[], after: readonly Column[]): string[] {
  const nameOf = ({ table_name, column_name }: Column) => `${table_name}.${column_name}`;
  const [old, now] = [before, after].map((columns) => new Map(columns.map((column) => [nameOf(column), column])));
  const tables = new Set(before.map(({ table_name }) => table_name));
  const changed = before.flatMap((was) => {
    const is = now?.get(nameOf(was));
    if (is === undefined) return [`${nameOf(was)} is gone`];
    if (was.is_nullable === "YES" && is.is_nullable === "NO") return [`${nameOf(was)} must not be null now`];
    const same = { ...was, is_nullable: is.is_nullable };
    return isDeepStrictEqual({ ...is }, same) ? [] : [`${nameOf(was)} is another one`];
  });
  const added = after.filter((column) => tables.has(column.table_name) && old?.has(nameOf(column)) === false);
  const unfilled = added.filter(
    ({ is_nullable, column_default, is_identity }) =>
      is_nullable === "NO" && column_default === null && is_identity === "NO",
  );
  return [...changed, ...unfilled.map((column) => `${nameOf(column)} has no value in rows of before`)].sort();
}

/** What each migration after the first breaks, by its name. */
async function breaksOf(migrations: typeof MIGRATIONS): Promise<Record<string, readonly string[]>> {
  const { database, admin } = await open();
  const found: Record<string, readonly string[]> = {};
  const applied: Record<string, (typeof MIGRATIONS)[string]> = {};
  let before: Column[] | undefined;
  for (const [name, migration] of Object.entries(migrations)) {
    applied[name] = migration;
    expect(await migrateToLatest(database, { migrations: applied })).toEqual([name]);
    const after = await columns(admin);
    if (before !== undefined) found[name] = breaks(before, after);
    before = after;
  }
  return found;
}

test("each migration keeps every column that the code before it reads, and accepts every row that this code writes", async () => {
  for (const [name, found] of Object.entries(await breaksOf(MIGRATIONS))) expect(found, name).toEqual([]);
});

test.each([
  ["alter table orgs drop column name", ["orgs.name is gone"]],
  ["drop table key_policies", ["key_policies.policy is gone", "key_policies.tenant_id is gone"]],
  ["alter table orgs rename name to title", ["orgs.name is gone", "orgs.title has no value in rows of before"]],
  ["alter table runs alter attempts type bigint", ["runs.attempts is another one"]],
  ["alter table runs alter attempts drop default", ["runs.attempts is another one"]],
  ["alter table threads add column topic text not null", ["threads.topic has no value in rows of before"]],
  ["alter table api_keys alter oidc set not null", ["api_keys.oidc must not be null now"]],
])("%s is found to break the code before it", async (statement, found) => {
  expect(await breaksOf(withNext(statement))).toMatchObject({ "9999-next": found });
});

test.each([
  "create table drafts (draft_id text primary key, body text not null)",
  "alter table threads add column topic text, add column kind text not null default 'plain'",
  "alter table api_keys alter name drop not null",
  "create index threads_by_age on threads (created_at)",
])("%s is found to break nothing", async (statement) => {
  expect(await breaksOf(withNext(statement))).toMatchObject({ "9999-next": [] });
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
  await migrateToLatest(database);
  await admin.query("begin");
  await admin.query("lock table messages in access share mode");
  let waits = 0;
  const migrations = withNext("alter table messages add column note text");
  const migrating = migrateToLatest(database, { migrations, onWait: () => waits++ });
  while (waits < 2) {
    await expect(database.db.selectFrom("messages").select("message_id").execute()).resolves.toEqual([]);
  }
  await admin.query("commit");
  expect(await migrating).toEqual(["9999-next"]);
});
