import { sql } from "kysely";
import type { NamedRedis } from "../../redis/redis-guard.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { IS_LOCAL, LOCAL } from "../driver/local-commit.ts";
import { translateOutage } from "../driver/sql-errors.ts";

interface Row extends NamedRedis {
  readonly isExpired: boolean;
  readonly isDue: boolean;
}

/**
 * Returns the function that makes a Redis the one of this deployment for the next `holdMs`, unless another one is, and
 * returns the one that is. Throws `StoreUnavailable`.
 *
 * Of two replicas that find it expired, the update of one waits for that of the other, and then no longer matches.
 */
export function createRedisHold({ control: db }: Pick<SqlDatabase, "control">) {
  async function read(holdMs: number): Promise<Row> {
    const { rows } = await sql<Row>`
      select identity, servers, held_until < clock_timestamp() as "isExpired",
        held_until < clock_timestamp() + ${sql.lit(holdMs / 2)} * interval '1 millisecond' as "isDue"
      from deployment_redis`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new Error("The table deployment_redis has no row: insert one with default values.");
    return row;
  }

  async function write({ identity, servers }: NamedRedis, holdMs: number): Promise<void> {
    await sql`
      with ${LOCAL}
      update deployment_redis set identity = ${identity}, servers = ${servers},
        held_until = clock_timestamp() + ${sql.lit(holdMs)} * interval '1 millisecond'
      where (identity = ${identity} or held_until < clock_timestamp()) and ${IS_LOCAL}`.execute(db);
  }

  return (redis: NamedRedis, holdMs: number): Promise<NamedRedis> =>
    translateOutage(async () => {
      const row = await read(holdMs);
      // One replica renews for all, so that the row is not written by each of them all the time.
      const isMine = row.identity === redis.identity;
      if (isMine ? !row.isDue : !row.isExpired) return row;
      await write(redis, holdMs);
      return read(holdMs);
    });
}
