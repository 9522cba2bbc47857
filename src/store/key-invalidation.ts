import type { SecretHash } from "../domain/keys/key.ts";

/** Invalidates the cached records of a key around each change of it, in all processes. */
export interface KeyInvalidation {
  /**
   * Called before the transaction of a change. When it resolves, no process that can be reached uses a cached record of
   * the key. Throws `StoreUnavailable` if the change cannot begin.
   */
  beginChange(secretHash: SecretHash): Promise<PendingChange>;
}

export interface PendingChange {
  /** The row of `key_marks` that the transaction must delete, and must find. Null: there is none. */
  readonly markId: string | null;
  /**
   * Called after the commit. Resolves once no process can accept the key as it was before, and never sooner. `server` is
   * the server on which the transaction was committed; see `Look`.
   */
  end(server: string): Promise<void>;
  /** Called after a rollback. Not called if the outcome of the commit is unknown. */
  abandon(): Promise<void>;
}
