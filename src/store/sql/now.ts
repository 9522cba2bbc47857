import { type RawBuilder, sql } from "kysely";
import type { Clock } from "../../domain/ports/clock.ts";

/** The present instant as a part of a statement. */
export type SqlNow = () => RawBuilder<Date>;

/**
 * The database's own clock, so that replicas whose clocks differ agree on when a lease ends and a run is due, on which
 * conversation was written to last, and on when an organization was made; or the clock of a test. Cut to milliseconds,
 * because the columns would round it, half of the time into the future.
 */
export function sqlNow(clock?: Clock): SqlNow {
  return clock === undefined ? () => sql<Date>`date_trunc('milliseconds', now())` : () => givenInstant(clock());
}

/** As `sqlNow`, but the moment itself: that is the start of the transaction, which may have waited for a lock since. */
export function sqlMoment(clock?: Clock): SqlNow {
  return clock === undefined
    ? () => sql<Date>`date_trunc('milliseconds', clock_timestamp())`
    : () => givenInstant(clock());
}

export function givenInstant(instant: Date): RawBuilder<Date> {
  return sql<Date>`cast(${instant} as timestamptz)`;
}

/** An instant so many milliseconds after another. */
export function plusMs(instant: RawBuilder<Date>, ms: number): RawBuilder<Date> {
  return sql<Date>`${instant} + cast(${ms} as float8) * interval '1 millisecond'`;
}
