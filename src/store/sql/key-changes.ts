import { type Kysely, sql } from "kysely";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyChangeLog } from "../../domain/ports/keys.ts";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";
import { hashOf } from "./key-rows.ts";
import type { Schema } from "./schema.ts";

/** Most changes that are read at once: after more, say of an update by hand, whoever follows does better to begin anew. */
const CHANGES_MAX = 10_000;

interface Row {
  readonly cursor: string;
  /** Whether this is a server that lacks what the one before had. Null for who only begins. */
  readonly is_behind: boolean | null;
  /** Null where there is no change: the cursor comes all the same. */
  readonly hash: string | null;
}

/**
 * Reads the list that a trigger keeps (`migrations/0003-key-changes.ts`).
 *
 * The cursor is the snapshot of the last time: what it showed has been read, and of all else what is committed by now is
 * new. An ever growing number could not tell that, since a change that got its number earlier may be committed later; nor
 * could the oldest transaction that was under way: one that stays open for hours, in whatever database of the server, would
 * have everything since then read again each time, until that is more than is read at once.
 *
 * Where a dump was restored, there may be changes of transactions that are yet to come: a server that was further made them.
 */
export function createKeyChangeLog({ db }: Pick<SqlDatabase, "db">): KeyChangeLog {
  return {
    readKeyChanges: (cursor) =>
      guard(async () => {
        const rows = await readRows(db, cursor);
        const [first] = rows;
        if (first === undefined) throw new Error("The database told no snapshot.");
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
