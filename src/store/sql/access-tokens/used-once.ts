import { sql } from "kysely";
import type { UsedOnce } from "../../../domain/access-tokens/used-once.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { translateOutage } from "../driver/sql-errors.ts";

/** What was used once, in SQL. Two uses at the same time wait for each other at the primary key. */
export function createUsedOnce({ db }: Pick<SqlDatabase, "db">): UsedOnce {
  return {
    use: (hash, until) =>
      translateOutage(async () => {
        const { rows } = await sql`
          insert into used_once (hash, until) values (${hash}, ${until}) on conflict (hash) do nothing returning 1`.execute(
          db,
        );
        return rows.length > 0;
      }),
  };
}
