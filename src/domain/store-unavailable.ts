/** Our own storage did not answer. Nothing is known about the outcome of a write. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** Ms until a retry can succeed, as far as the storage knows; 0: it knows nothing. */
  readonly retryAfterMs: number;

  constructor(cause: unknown, retryAfterMs = 0) {
    super("The storage is unavailable; retry.", { cause });
    this.retryAfterMs = retryAfterMs;
  }
}
