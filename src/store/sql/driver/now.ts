import { type RawBuilder, sql } from "kysely";
import type { Clock } from "../../../domain/vocabulary/clock.ts";

/** The current instant as a part of a statement. */
export type SqlNow = () => RawBuilder<Date>;

/**
 * The start of the transaction by the database's clock, or the time of a test's clock. With the database's clock,
 * replicas whose own clocks differ agree on when a lease ends and a run is due, which conversation was written to last,
 * and when an organization was created. Truncated to milliseconds, because the columns would round, half of the time
 * into the future.
 */
export function sqlNow(clock?: Clock): SqlNow {
  return clock === undefined ? () => sql<Date>`date_trunc('milliseconds', now())` : () => givenInstant(clock());
}

/**
 * As `sqlNow`, but the time at which the expression runs: the transaction may have waited for a lock since its start.
 */
export function sqlMoment(clock?: Clock): SqlNow {
  return clock === undefined
    ? () => sql<Date>`date_trunc('milliseconds', clock_timestamp())`
    : () => givenInstant(clock());
}

export function givenInstant(instant: Date): RawBuilder<Date> {
  return sql<Date>`cast(${instant} as timestamptz)`;
}

/** The instant `ms` milliseconds after another. */
export function plusMs(instant: RawBuilder<Date>, ms: number): RawBuilder<Date> {
  return sql<Date>`${instant} + cast(${ms} as float8) * interval '1 millisecond'`;
}
