import { type Kysely, sql } from "kysely";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyChangeLog } from "../../domain/ports/keys.ts";
import type { SqlDatabase } from "./database.ts";
import { hashOf } from "./key-rows.ts";
import type { Schema } from "./schema.ts";
import { translateOutage } from "./sql-errors.ts";

/**
 * Most changes that one call reads. After more, as of an update by hand, a follower should start again without a
 * cursor.
 */
const CHANGES_MAX = 10_000;

interface Row {
  readonly cursor: string;
  /** Whether this server lacks changes that the server of the cursor had. Null without a cursor. */
  readonly is_behind: boolean | null;
  /** Null if there is no change: then the one row has only the cursor. */
  readonly hash: string | null;
}

/**
 * Reads the change log, which a trigger writes (`migrations/0003-key-changes.ts`).
 *
 * The cursor is the snapshot of the last call: changes visible in it have been read; of all others, those committed by
 * now are new. Two simpler cursors would not work:
 *
 * - The last sequence number: a change with a lower number may be committed later.
 * - The oldest transaction under way: if one stays open for hours, in any database of the server, each call would read
 *   all changes since then again, until they are more than one call reads.
 *
 * After a restore from a dump, there may be changes with transaction ids that are still in the future: they come from a
 * server that was further ahead.
 */
export function createKeyChangeLog({ db }: Pick<SqlDatabase, "db">): KeyChangeLog {
  return {
    readKeyChanges: (cursor) =>
      translateOutage(async () => {
        const rows = await readRows(db, cursor);
        const [first] = rows;
        if (first === undefined) throw new Error("The database returned no snapshot.");
        const isAll = rows.length <= CHANGES_MAX && first.is_behind !== true;
        return { cursor: first.cursor, changes: rows.flatMap(changeOf), isAll };
      }),
  };
}

async function readRows(db: Kysely<Schema>, cursor: string | null): Promise<Row[]> {
  const before = sql`cast(${cursor} as text)::pg_snapshot`;
  const { rows } = await sql<Row>`
    select here.cursor, here.is_behind, encode(secret_hash, 'hex') as hash
    from (
      select
        pg_current_snapshot()::text as cursor,
        pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(${before}) as is_behind
    ) as here
    left join (
      select seq, secret_hash from key_changes
      where transaction_id >= pg_snapshot_xmin(${before})
        and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(transaction_id, ${before})
      limit ${sql.lit(CHANGES_MAX + 1)}
    ) as listed on true
    order by seq`.execute(db);
  return rows;
}

function changeOf({ hash }: Row): SecretHash[] {
  return hash === null ? [] : [hashOf(Buffer.from(hash, "hex"))];
}
