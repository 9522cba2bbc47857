import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Migration } from "kysely/migration";

/** What PostgreSQL's catalogue says of the tables, as far as changing it takes as long as a table is large. */
interface Catalogue {
  /** The file of each table and index: another one means that all of it was written anew. */
  readonly files: ReadonlyMap<string, string>;
  readonly indexes: ReadonlyMap<string, string>;
  /** Checks and foreign keys that hold for all rows, so all rows were read. */
  readonly constraints: ReadonlyMap<string, string>;
  readonly notNull: ReadonlyMap<string, string>;
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

/**
 * Runs a migration in a transaction, and returns what it did to tables that were there before it and that takes longer the larger they are,
 * while writers, or readers too, wait. PostgreSQL itself says what was done: neither statements in a function nor those that
 * are put together at run time are missed.
 *
 * It misses what leaves no trace there, such as `lock table` and a long `select`.
 */
export async function longLocksOf<Tables>(tx: Transaction<Tables>, migration: Migration): Promise<string[]> {
  const before = await readCatalogue(tx);
  await migration.up(tx);
  const after = await readCatalogue(tx);
  const isOld = (table: string) => before.files.has(table);
  return [
    ...changed(before.files, after.files).map((name) => `writes ${name} anew`),
    ...added(before.indexes, after.indexes, isOld).map(([name, table]) => `builds the index ${name} of ${table}`),
    ...added(before.constraints, after.constraints, isOld).map(
      ([name, table]) => `checks ${name} in all rows of ${table}`,
    ),
    ...added(before.notNull, after.notNull, isOld).map(
      ([name, table]) => `checks that ${name} is not null in all rows of ${table}`,
    ),
    ...(await writtenTables(tx)).filter(isOld).map((table) => `changes rows of ${table}`),
  ].sort();
}

async function readCatalogue<Tables>(tx: Transaction<Tables>): Promise<Catalogue> {
  const own = sql`select oid from pg_namespace where nspname = current_schema()`;
  return {
    files: await pairs(
      tx,
      sql<Pair>`
      select relname as name, relfilenode::text as value from pg_class where relnamespace = (${own}) and relkind in ('r', 'i')`,
    ),
    indexes: await pairs(
      tx,
      sql<Pair>`
      select index.relname as name, owner.relname as value from pg_index
      join pg_class index on index.oid = indexrelid join pg_class owner on owner.oid = indrelid
      where owner.relnamespace = (${own})`,
    ),
    constraints: await pairs(
      tx,
      sql<Pair>`
      select conname as name, relname as value from pg_constraint join pg_class on pg_class.oid = conrelid
      where relnamespace = (${own}) and contype in ('c', 'f') and convalidated`,
    ),
    // Of columns that are new, no row has null: their default is not.
    notNull: await pairs(
      tx,
      sql<Pair>`
      select relname || '.' || attname as name, relname as value from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = (${own}) and relkind = 'r' and attnum > 0 and attnotnull and not atthasmissing`,
    ),
  };
}

/** Of this transaction: a change of rows takes this lock on their table. */
async function writtenTables<Tables>(tx: Transaction<Tables>): Promise<string[]> {
  const written = await pairs(
    tx,
    sql<Pair>`
    select relname as name, relname as value from pg_locks join pg_class on pg_class.oid = relation
    where pid = pg_backend_pid() and mode = 'RowExclusiveLock' and relkind = 'r'
    and relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
  );
  return [...written.keys()];
}

async function pairs<Tables>(tx: Transaction<Tables>, query: RawBuilder<Pair>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await query.execute(tx);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before].flatMap(([name, file]) => (after.has(name) && after.get(name) !== file ? [name] : []));
}

function added(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  isOld: (table: string) => boolean,
): (readonly [string, string])[] {
  return [...after].filter(([name, table]) => !before.has(name) && isOld(table));
}
