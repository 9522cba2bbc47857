import { sql } from "kysely";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";

/** Every row of every table of ours as text, a line each that begins with the table's name. */
export async function dumpTables({ db }: Pick<SqlDatabase, "db">): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by tablename`.execute(db);
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{
      line: string;
    }>`select ${name} || ' ' || t::text as line from ${sql.table(name)} t`.execute(db);
    lines.push(...rows.map(({ line }) => line));
  }
  return lines.join("\n");
}
