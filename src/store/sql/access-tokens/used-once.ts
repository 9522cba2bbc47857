import { sql } from "kysely";
import type { UsedOnce } from "../../../domain/access-tokens/used-once.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { IS_LOCAL, LOCAL } from "../driver/local-commit.ts";
import { translateOutage } from "../driver/sql-errors.ts";

/**
 * What was used once, in SQL. Two uses at the same time wait for each other at the primary key. No use waits for a standby:
 * verification needs it.
 */
export function createUsedOnce({ internal: db }: Pick<SqlDatabase, "internal">): UsedOnce {
  return {
    isUsed: (hash) =>
      translateOutage(async () => {
        const { rows } = await sql`select from used_once where hash = ${hash}`.execute(db);
        return rows.length > 0;
      }),
    use: (hash, until) =>
      translateOutage(async () => {
        const { rows } = await sql`
          with ${LOCAL}
          insert into used_once (hash, until) select ${hash}, ${until} where ${IS_LOCAL}
          on conflict (hash) do nothing returning 1`.execute(db);
        return rows.length > 0;
      }),
  };
}
