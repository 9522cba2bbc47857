import { sql } from "kysely";
import { plusMs, type SqlNow } from "../driver/now.ts";

/**
 * A lease that ends later than this from now was written before the database's clock was set back, or by a clock that was ahead. It
 * is ignored, because the row would wait until the clock reaches it.
 */
const AHEAD_MS_MAX = 120_000;

/** Whether a row may be claimed: it has no lease, or one that has ended. */
export function leaseEnded(now: SqlNow, leaseMs: number) {
  return sql<boolean>`(
    lease_until is null or lease_until < ${now()} or lease_until > ${plusMs(now(), leaseMs + AHEAD_MS_MAX)}
  )`;
}
