import type { Kysely } from "kysely";
import type { Removed } from "../../../domain/erasures/erasure.ts";
import type { Subject } from "../../replicas/invalidation.ts";
import type { Schema } from "../schema.ts";

/** What one transaction of an erasure removes. */
export interface Piece {
  /** Subjects of the cached records that it changes. */
  readonly subjects: readonly Subject[];
  /** Under the lock of the erasure. Another replica may have removed some or all of it since it was found: that counts there. */
  remove(trx: Kysely<Schema>): Promise<Removed>;
}

/** Finds the next piece of one kind of records; undefined if nothing of that kind is left. */
export type FindPiece<Target> = (db: Kysely<Schema>, target: Target) => Promise<Piece | undefined>;

/** Maximum number of rows of one piece whose records no process caches. */
export const ROWS_AT_ONCE = 1_000;
/** Maximum number of rows of one piece whose records are cached: each needs a mark of its own (`bound-change.ts`). */
export const SUBJECTS_AT_ONCE = 100;
