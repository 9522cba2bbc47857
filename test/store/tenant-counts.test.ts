import { sql } from "kysely";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;

/** Keys of so many tenants, in turns from the one or the other end, in one statement. */
const insertKeys = (name: string, count: number, tenants: number, isBackwards = false) =>
  sql`
    insert into api_keys (
      key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
      requests_per_hour, burst_size, created_at, updated_at
    )
    select ${name} || n, 'ten_' || n % cast(${tenants} as int), sha256(convert_to(${name} || n, 'UTF8')), 'sk_0', 'secret', 'a', '',
      '[]', 0, 0, 0, now(), now()
    from generate_series(1, cast(${count} as int)) as n order by n * ${isBackwards ? -1 : 1}::int`.execute(database.db);

const insertOthers = async (from: number, to: number) => {
  const numbers = sql`generate_series(cast(${from} as int), cast(${to} as int)) as n`;
  await sql`insert into orgs (org_id, tenant_id, name, created_at)
    select 'org_' || n, 'ten_' || n, 'Acme', now() from ${numbers}`.execute(database.db);
  await sql`insert into tenant_suspensions (tenant_id, reason) select 'ten_' || n + 1, '' from ${numbers}`.execute(
    database.db,
  );
};

/** The counts, and what they should be, where they differ. */
async function wrongCounts(): Promise<unknown[]> {
  const { rows } = await sql`
    select tenant_id, counted.*, there.* from tenant_counts as counted full join (
      select tenant_id, sum(key)::int as keys, sum(1 - key)::int as others from (
        select tenant_id, 1 as key from api_keys
        union all select tenant_id, 0 from orgs
        union all select tenant_id, 0 from tenant_suspensions
      ) as listed group by tenant_id
    ) as there using (tenant_id)
    where (counted.keys, counted.others) is distinct from (there.keys, there.others)`.execute(database.db);
  return rows;
}

beforeAll(async () => {
  url = await createDatabase(serverUrl);
  database = await openDatabase({ kind: "postgres", url, poolSize: 8 });
  const earlier = Object.entries(MIGRATIONS).filter(([name]) => name < "0013");
  await migrateToLatest(database, { migrations: Object.fromEntries(earlier) });
  await insertKeys("before", 50, 10);
  await insertOthers(1, 12);
  await migrateToLatest(database);
});
afterAll(async () => {
  await database?.close();
  await dropDatabase(serverUrl, url);
});

test("tenants from before the migration are counted", async () => {
  expect(await wrongCounts()).toEqual([]);
  const { rows } = await sql`select count(*)::int as tenants from tenant_counts`.execute(database.db);
  expect(rows).toEqual([{ tenants: 14 }]);
});

test("the counts are right after any statements, also concurrent ones of many tenants in different orders", async () => {
  const remove = (name: string) => sql`delete from api_keys where key_id like ${`${name}%`}`.execute(database.db);
  await Promise.all(["a", "b", "c", "d"].map((name, n) => insertKeys(name, 200, 20, n % 2 === 0)));
  await insertOthers(15, 30);
  expect(await wrongCounts()).toEqual([]);
  await Promise.all([
    remove("a"),
    insertKeys("e", 200, 20),
    remove("b"),
    insertKeys("f", 200, 20, true),
    remove("before"),
  ]);
  await sql`delete from tenant_suspensions where tenant_id in ('ten_5', 'ten_31')`.execute(database.db);
  expect(await wrongCounts()).toEqual([]);
});

test("a tenant of which nothing is left is not listed, and nothing is counted that was rolled back", async () => {
  await sql`delete from api_keys`.execute(database.db);
  await sql`delete from tenant_suspensions`.execute(database.db);
  await database.db
    .transaction()
    .execute(async (trx) => {
      await sql`delete from orgs`.execute(trx);
      throw new Error("rolled back");
    })
    .catch(() => undefined);
  expect(await wrongCounts()).toEqual([]);
  await sql`delete from orgs`.execute(database.db);
  const { rows } = await sql`select from tenant_counts`.execute(database.db);
  expect(rows).toEqual([]);
});
