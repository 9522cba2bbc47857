import { type RawBuilder, sql } from "kysely";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import type { KnownHistory } from "../../replicas/known-history.ts";

/**
 * Whether the server that runs the statement may lack a change that was acknowledged: it is a standby, or lacks the newest change that
 * this process knows of. With each read of what verification relies on, because a pool may lead to several servers.
 */
export function isStale({ newest }: Pick<KnownHistory, "newest">): RawBuilder<boolean> {
  // One text, whether a change is known or not: prepared statements have it.
  return sql<boolean>`(pg_is_in_recovery() or cast(${newest} as uuid) is not null and ${isMissing(newest)})`;
}

/** Whether the server lacks a change. Null: none is asked for, and the schema need not have changes yet. */
export function lacks(changeId: string | null): RawBuilder<boolean> {
  return changeId === null ? sql<boolean>`false` : isMissing(changeId);
}

function isMissing(changeId: string | null): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from promised_changes where change_id = cast(${changeId} as uuid))`;
}

/** Throws if one of the rows is of a server that may lack a change. No row is not stale: it admits nobody. */
export function refuseStale(rows: readonly { readonly is_stale: boolean }[]): void {
  if (rows.some((row) => row.is_stale))
    throw new StoreUnavailable(
      new Error("The server of DATABASE_URL is a standby, or lacks a change that was acknowledged."),
    );
}
