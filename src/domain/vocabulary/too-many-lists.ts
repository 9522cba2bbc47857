/**
 * The lists of one caller wait for each other, and there are too many. Nothing was read or changed. Others are not affected:
 * an outage is `StoreUnavailable`.
 */
export class TooManyLists extends Error {
  override readonly name = "TooManyLists";
  /** Ms after which those that wait now have been answered or have given up. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super(
      "Too many lists of this tenant wait for each other: one runs at a time. Send the next one when the last is answered; wait for the seconds in Retry-After.",
    );
    this.retryAfterMs = retryAfterMs;
  }
}
