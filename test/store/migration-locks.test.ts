import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { MIGRATIONS } from "../../src/store/sql/migrations/migrator.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { longLocksOf } from "./migration-locks.ts";

/**
 * What migrations do although it takes as long as a table is large, each with its reason. ADR 33 says how a large index is
 * built, and what to do instead of the rest.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The changelog gives operators the statement.
  "0002-operator-night": ["builds the index audit_events_by_request of audit_events"],
  // Tables of keys and of hours, which are small beside the trail. The changelog says that writes wait.
  "0005-webhooks": ["builds the index key_usage_hours_rate_limited of key_usage_hours"],
  "0006-key-filters": [
    "builds the index api_keys_by_own_expiry of api_keys",
    "builds the index api_keys_leaked of api_keys",
    "builds the index api_keys_sought of api_keys",
    "builds the index api_keys_with_metadata of api_keys",
  ],
  // Tokens expire within an hour, and their rows are removed a day later.
  "0008-live-tokens": ["builds the index access_tokens_of_source of access_tokens"],
  // Only keys that a rotation made are in it.
  "0010-shared-budgets": ["builds the index api_keys_by_budget of api_keys"],
  // Changes of a day, and a row for each replica.
  "0012-lost-changes": [
    "builds the index promised_changes_by_transaction of promised_changes",
    "changes rows of replicas",
  ],
  // Only keys that have ended or will are in it. The changelog gives operators the statement, and says that writes wait for the counts.
  "0013-tenant-counts": ["builds the index api_keys_by_end of api_keys"],
  // No row has a value in it yet, so they are read and not sorted.
  "0017-imported-keys": [
    "builds the index api_keys_by_format of api_keys",
    "builds the index api_keys_imported of api_keys",
  ],
  // Requests of some days, of which few have failed.
  "0018-failed-requests": ["builds the index recent_requests_of_tenant_failed of recent_requests"],
};

let url: string;
let database: SqlDatabase;
const found = new Map<string, readonly string[]>();

beforeAll(async () => {
  url = await createDatabase(inject("postgresUrl"));
  database = await openDatabase({ kind: "postgres", url, poolSize: 2 });
  for (const [name, migration] of Object.entries(MIGRATIONS)) {
    const locks = database.withoutTimeLimits((db) => db.transaction().execute((tx) => longLocksOf(tx, migration)));
    found.set(name, await locks);
  }
  await sql`create table large (id bigint primary key, name text, size int not null default 0)`.execute(database.db);
  await sql`create table other (id bigint primary key)`.execute(database.db);
});
afterAll(async () => {
  await database?.close();
  await dropDatabase(inject("postgresUrl"), url);
});

/** In a transaction that is rolled back, so that each statement finds the same tables. */
async function longLocksOfStatement(statement: string): Promise<string[]> {
  let locks: string[] = [];
  const undone = new Error("rolled back");
  const up = async (db: Kysely<unknown>) => void (await sql.raw(statement).execute(db));
  await database.db
    .transaction()
    .execute(async (tx) => {
      locks = await longLocksOf(tx, { up });
      throw undone;
    })
    .catch((err: unknown) => {
      if (err !== undone) throw err;
    });
  return locks;
}

test.each(Object.keys(MIGRATIONS))(
  "%s keeps no table locked for longer the larger it is, except locks that are allowed by name",
  (name) => {
    expect(found.get(name)).toEqual(ALLOWED[name] ?? []);
  },
);

describe("a migration is refused that", () => {
  test.each([
    ["builds an index", "create index large_by_name on large (name)", ["builds the index large_by_name of large"]],
    ["adds a unique constraint", "alter table large add unique (name)", ["builds the index large_name_key of large"]],
    [
      "adds a column with a default that differs from row to row",
      "alter table large add column at timestamptz default clock_timestamp()",
      ["writes large anew", "writes large_pkey anew"],
    ],
    [
      "changes a column's type",
      "alter table large alter size type bigint",
      ["writes large anew", "writes large_pkey anew"],
    ],
    [
      "checks all rows",
      "alter table large add constraint sized check (size >= 0)",
      ["checks sized in all rows of large"],
    ],
    [
      "refers to another table from all rows",
      "alter table large add constraint known foreign key (id) references other",
      ["checks known in all rows of large"],
    ],
    [
      "forbids null in a column that had it",
      "alter table large alter name set not null",
      ["checks that large.name is not null in all rows of large"],
    ],
    ["fills in a column", "update large set name = 'x' where name is null", ["changes rows of large"]],
    [
      "does it in a block of code",
      "do $$ begin execute 'create index ' || 'hidden on large (name)'; end $$",
      ["builds the index hidden of large"],
    ],
  ])("%s", async (_, statement, locks) => {
    expect(await longLocksOfStatement(statement)).toEqual(locks);
  });
});

describe("a migration is accepted that", () => {
  test.each([
    ["adds a column that may be null", "alter table large add column note text"],
    ["adds a column with a constant default", "alter table large add column kind text not null default 'plain'"],
    [
      "makes a table, its indexes and its references to another",
      "create table small (id bigint primary key references large, name text check (name <> '')); create index on small (name); insert into small select 1, 'x' where false",
    ],
    ["adds a check for new rows alone", "alter table large add constraint sized check (size >= 0) not valid"],
    ["removes an index or a column", "alter table large drop column name"],
    ["has an index that was built before, concurrently", "create index if not exists large_pkey on large (id)"],
  ])("%s", async (_, statement) => {
    expect(await longLocksOfStatement(statement)).toEqual([]);
  });
});
