/** Our own storage did not answer. Nothing is known about the outcome of a write. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";

  constructor(cause: unknown) {
    super("The storage is unavailable; retry.", { cause });
  }
}
