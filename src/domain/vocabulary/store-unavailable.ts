/** Our own storage did not answer. Whether a write took place is unknown. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** Ms until a retry can succeed, as far as the storage knows. 0: unknown. */
  readonly retryAfterMs: number;

  constructor(cause: unknown, retryAfterMs = 0) {
    super("The storage is unavailable; retry.", { cause });
    this.retryAfterMs = retryAfterMs;
  }
}
