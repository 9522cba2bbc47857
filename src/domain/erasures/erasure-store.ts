import type { Act } from "../audit/event.ts";
import type { Erasure, ErasureTarget } from "./erasure.ts";

/** What became of one attempt to remove a piece. `busy`: rows are locked, or another replica removes a piece of it now. */
export type PieceOutcome = "removed" | "busy" | "finished";

/** Erasures, which any number of replicas work on, one at a time. Every method may throw `StoreUnavailable`. */
export interface ErasureStore {
  /**
   * Begins an erasure, or joins the one of this target that is not finished. In the same transaction a user's membership
   * ends, and a tenant is suspended; resolves when that binds on every replica. Throws `RequestFault` for the last owner of
   * an organization, and for a tenant of which nothing is stored.
   */
  begin(target: ErasureTarget, act: Act): Promise<Erasure>;
  /** How far an erasure is. */
  read(erasureId: string): Promise<Erasure>;
  /** The oldest first. */
  listUnfinished(): Promise<readonly string[]>;
  /**
   * Removes one piece in a transaction of its own. When nothing is left, it records what was removed in the audit trail, unless
   * that is nothing.
   */
  removePiece(erasureId: string): Promise<PieceOutcome>;
}
