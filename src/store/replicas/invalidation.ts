/**
 * What a cached record is about, as 43 characters of base64url: the SHA-256 of a key's secret, or of what `tenantSubject`
 * makes of a tenant's id. No two are alike: no secret begins like the text of another kind.
 */
export type Subject = string;

/** Invalidates the cached records of a subject around each change of it, in all processes. */
export interface Invalidation {
  /**
   * Called before the transaction of a change. When it resolves, no process that can be reached uses a cached record of
   * the subject. Throws `StoreUnavailable` if the change cannot begin.
   */
  beginChange(subject: Subject): Promise<PendingChange>;
}

export interface PendingChange {
  /** The row of `key_marks` that the transaction must delete, and must find. Null: there is none. */
  readonly markId: string | null;
  /**
   * Called after the commit. Resolves once no process can use the record as it was before, and never sooner. `server` is
   * the server on which the transaction was committed; see `Look`.
   */
  end(server: string): Promise<void>;
  /** Called after a rollback. Not called if the outcome of the commit is unknown. */
  abandon(): Promise<void>;
}
