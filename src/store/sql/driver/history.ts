import { type Compilable, type RawBuilder, sql } from "kysely";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import type { KnownHistory } from "../../replicas/known-history.ts";
import type { SqlDatabase } from "./database.ts";

/**
 * Whether the server that runs the statement may lack a change that was acknowledged: it is a standby, or lacks the newest change that
 * this process knows of. With each read of what verification relies on, because a pool may lead to several servers.
 */
export function isStale({ newest }: Pick<KnownHistory, "newest">): RawBuilder<boolean> {
  // One text, whether a change is known or not: prepared statements have it.
  return sql<boolean>`(pg_is_in_recovery() or cast(${newest} as uuid) is not null and ${isMissing(newest)})`;
}

/** Whether the server lacks one of these changes. If none is asked for, the schema need not have changes yet. */
export function lacks(...changeIds: readonly (string | null)[]): RawBuilder<boolean> {
  const asked = changeIds.filter((changeId) => changeId !== null).map(isMissing);
  return asked.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(asked, sql` or `)})`;
}

function isMissing(changeId: string | null): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from promised_changes where change_id = cast(${changeId} as uuid))`;
}

/** A row that a look-up found, or shows that it found none. Of the latter, all columns of `Row` are null. */
export type Proven<Row> = Row & { readonly is_stale: boolean; readonly is_found: true | null };

/**
 * A look-up that returns a row also if it finds none: only a row shows that its server may lack others. Without it, a key that was
 * made after a failover would be unknown to the old primary instead of unavailable, and a claim would be free again.
 */
export function proven<Row>(history: Pick<KnownHistory, "newest">, lookUp: Compilable<Row>): RawBuilder<Proven<Row>> {
  return sql<Proven<Row>>`
    select proof.is_stale, found.* from (select ${isStale(history)} as is_stale) as proof
    left join (select true as is_found, read.* from ${lookUp} as read) as found on true`;
}

/** The rows that were found. Throws if the server may lack some. */
export function foundOf<Row>(rows: readonly Proven<Row>[]): readonly Row[] {
  refuseStale(rows);
  return rows.filter((row) => row.is_found);
}

/** Runs a look-up of one row. Throws if the server may lack it. */
export async function findProven<Row>(
  { db, history }: Pick<SqlDatabase, "db" | "history">,
  lookUp: Compilable<Row>,
): Promise<Row | undefined> {
  const { rows } = await proven(history, lookUp).execute(db);
  return foundOf(rows)[0];
}

/** Throws if one of the rows is of a server that may lack a change. */
export function refuseStale(rows: readonly { readonly is_stale: boolean }[]): void {
  if (rows.some((row) => row.is_stale))
    throw new StoreUnavailable(
      new Error("The server of DATABASE_URL is a standby, or lacks a change that was acknowledged."),
    );
}
