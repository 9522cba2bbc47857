import { type Kysely, sql } from "kysely";
import type { KeyChangeLog } from "../../domain/ports.ts";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";
import { hashOf } from "./key-rows.ts";
import type { Schema } from "./schema.ts";

/** Most changes that are read at once: after more, say of an update by hand, whoever follows does better to begin anew. */
const CHANGES_MAX = 10_000;

interface Row {
  readonly cursor: string;
  /** Null where there is no change: the cursor comes all the same. */
  readonly seq: number | null;
  readonly hash: string | null;
}

/**
 * Reads the list that a trigger keeps (`migrations/0003-key-changes.ts`).
 *
 * The cursor is the oldest transaction that was still under way. Those before it are over, and what they changed has been
 * read; of the others some may have been, and are read again. An ever growing number could not tell that, since a change
 * that got its number earlier may be committed later.
 */
export function createKeyChangeLog({ db }: Pick<SqlDatabase, "db">): KeyChangeLog {
  return {
    readKeyChanges: (cursor) =>
      guard(async () => {
        const rows = await readRows(db, cursor);
        const [first] = rows;
        if (first === undefined) throw new Error("The database told no snapshot.");
        return { cursor: first.cursor, changes: rows.flatMap(changeOf), isAll: rows.length <= CHANGES_MAX };
      }),
  };
}

async function readRows(db: Kysely<Schema>, cursor: string | null): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select here.cursor, seq, encode(secret_hash, 'hex') as hash
    from (select pg_snapshot_xmin(pg_current_snapshot())::text as cursor) as here
    left join (
      select seq, secret_hash from key_changes
      where transaction_id >= cast(${cursor} as text)::xid8
      limit ${sql.lit(CHANGES_MAX + 1)}
    ) as listed on true
    order by seq`.execute(db);
  return rows;
}

function changeOf({ seq, hash }: Row) {
  return seq === null || hash === null ? [] : [{ seq, secretHash: hashOf(Buffer.from(hash, "hex")) }];
}
