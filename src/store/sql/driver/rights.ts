import { sql } from "kysely";
import type { SqlDatabase } from "./database.ts";
import { type Privilege, TABLE_PRIVILEGES } from "./table-privileges.ts";

/** A privilege that the role of `DATABASE_URL` lacks. */
export interface MissingPrivilege {
  readonly privilege: Privilege;
  readonly table: string;
}

/** The privileges for serving that the role lacks, in the order of the tables. Tables that are not there yet are left out. */
export async function missingPrivileges({ db }: Pick<SqlDatabase, "db">): Promise<MissingPrivilege[]> {
  const needed = Object.entries(TABLE_PRIVILEGES).flatMap(([table, all]) =>
    all.map((privilege) => ({ table, privilege })),
  );
  const [tables, privileges] = [needed.map(({ table }) => table), needed.map(({ privilege }) => privilege)];
  const { rows } = await sql<MissingPrivilege>`
    select "table", privilege from unnest(cast(${tables} as text[]), cast(${privileges} as text[]))
      with ordinality as needed ("table", privilege, n)
    where not has_table_privilege(to_regclass(quote_ident("table")), privilege)
    order by n`.execute(db);
  return rows;
}

/** Tables that the role may not alter, because it neither owns them nor is a member of their owner. For the migrating role. */
export async function tablesOfOthers({ db }: Pick<SqlDatabase, "db">): Promise<string[]> {
  const tables = Object.keys(TABLE_PRIVILEGES);
  const { rows } = await sql<{ name: string }>`
    select name from unnest(cast(${tables} as text[])) with ordinality as known (name, n)
      join pg_class on pg_class.oid = to_regclass(quote_ident(name))
    where not pg_has_role(relowner, 'usage')
    order by n`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the role may create tables in its schema. For the migrating role. */
export async function mayCreateTables({ db }: Pick<SqlDatabase, "db">): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(db);
  return rows[0]?.may === true;
}

/**
 * Throws an error that says what to do if the role of `DATABASE_URL` lacks a privilege. Otherwise the first request that
 * needs it would fail, and not the start.
 */
export async function checkRights(database: Pick<SqlDatabase, "db">): Promise<void> {
  const [missing] = await missingPrivileges(database);
  if (missing === undefined) return;
  throw new Error(
    `The role of DATABASE_URL lacks the right to ${missing.privilege} on the table ${missing.table}. As the owner of the tables, ` +
      "run what `latchkey privileges postgres` prints for that role, then start again",
  );
}
