import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";

/**
 * The longest retention that a replica has had within the last day, `days` included. It is confirmed at most every ten
 * minutes, so that the row is not written by each replica all the time.
 */
export async function agreeOnDays(db: Kysely<Schema>, days: number): Promise<number> {
  await sql`
    update audit_retention set days = ${days}, confirmed_at = clock_timestamp()
    where days < ${days}
      or days = ${days} and confirmed_at < clock_timestamp() - interval '10 minutes'
      or confirmed_at < clock_timestamp() - interval '1 day'`.execute(db);
  const { rows } = await sql<{ days: number }>`select days from audit_retention`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The table audit_retention has no row: insert one with default values.");
  return row.days;
}
