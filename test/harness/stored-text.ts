import { sql } from "kysely";
import type { Config } from "../../src/config/config.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";

/** Every row of every table as text, bytes in hex. The embedded store must not be open elsewhere. */
export async function storedText(storage: Config["storage"]): Promise<string> {
  const database = await openDatabase(storage);
  try {
    const tables = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(database.db);
    const texts = tables.rows.map(async ({ name }) => {
      const { rows } = await sql<{
        row: string;
      }>`select ${sql.ref("t")}::text as row from ${sql.table(name)} as t`.execute(database.db);
      return rows.map(({ row }) => `${name} ${row}\n`).join("");
    });
    return (await Promise.all(texts)).join("");
  } finally {
    await database.close();
  }
}
