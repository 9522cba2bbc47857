/**
 * The subject of a cached record, as 43 characters of base64url: the SHA-256 of a key's secret, or of what `tenantSubject`
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

export interface Committed {
  /** On which the transaction was committed; see `Look`. */
  readonly server: string;
  /** The id under which the change is promised. */
  readonly changeId: string;
  /** Of the transaction. */
  readonly transactionId: string;
}

/** Where no process caches the records. */
export const NOWHERE: Committed = Object.freeze({ server: "", changeId: "", transactionId: "" });

export interface PendingChange {
  /** The row of `key_marks` that the transaction must delete, and must find. Null: no mark. */
  readonly markId: string | null;
  /** The promised change that the server of the transaction must have. Default: none. */
  readonly newest?: string | null;
  /** Promised changes that the transaction makes again. Default: it makes a new one. */
  readonly again?: readonly string[];
  /** Called after the commit. Resolves once no process can use the record as it was before, and never sooner. */
  end(committed: Committed): Promise<void>;
  /** Called after a rollback. Not called if the outcome of the commit is unknown. */
  abandon(): Promise<void>;
}
