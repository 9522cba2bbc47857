import { sql } from "kysely";
import type { UsedOnce } from "../../../domain/access-tokens/used-once.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { isStale, refuseStale } from "../driver/history.ts";
import { IS_LOCAL, LOCAL } from "../driver/local-commit.ts";
import { translateOutage } from "../driver/sql-errors.ts";

/**
 * What was used once, in SQL. Two uses at the same time wait for each other at the primary key. No use waits for a standby:
 * verification needs it.
 */
export function createUsedOnce({ internal: db, history }: Pick<SqlDatabase, "internal" | "history">): UsedOnce {
  return {
    isUsed: (hash) =>
      translateOutage(async () => {
        const { rows } = await sql<Answer>`
          select ${isStale(history)} as is_stale, exists (select from used_once where hash = ${hash}) as is_so`.execute(
          db,
        );
        return answerOf(rows);
      }),
    use: (hash, until) =>
      translateOutage(async () => {
        const { rows } = await sql<Answer>`
          with ${LOCAL}, first as (
            insert into used_once (hash, until) select ${hash}, ${until} where ${IS_LOCAL}
            on conflict (hash) do nothing returning 1
          )
          select ${isStale(history)} as is_stale, exists (select from first) as is_so`.execute(db);
        return answerOf(rows);
      }),
  };
}

interface Answer {
  readonly is_stale: boolean;
  readonly is_so: boolean;
}

/** Throws if the server may lack an earlier use. */
function answerOf(rows: readonly Answer[]): boolean {
  refuseStale(rows);
  return rows[0]?.is_so === true;
}
