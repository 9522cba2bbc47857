const DAY_MS = 86_400_000;

/** Removes keys that ended long ago. May throw `StoreUnavailable`. */
export interface KeyRetention {
  /** Removes some of the keys that ended before an instant. Returns whether there may be more. Skips locked rows. */
  removeEndedBefore(instant: Date): Promise<boolean>;
}

/** Removes a piece of the keys that ended more than `days` days before `now`. Returns whether there may be more. */
export function removeEndedKeys(retention: KeyRetention, days: number, now: Date): Promise<boolean> {
  return retention.removeEndedBefore(new Date(now.getTime() - days * DAY_MS));
}
