/** Counts how keys are used. `count` never fails and never waits. */
export interface UsageRecorder {
  count(keyId: string, outcome: { readonly successful: boolean; readonly at: Date }): void;
  /** The last use that this process has counted and not stored yet. */
  lastUsed(keyId: string): Date | undefined;
  /**
   * Stores what all replicas have counted of a key so far. A replica that does not answer within a second is left out. May
   * throw `StoreUnavailable`.
   */
  collect(keyId: string): Promise<void>;
}
