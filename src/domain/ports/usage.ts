/** Counts how keys are used. Counting never fails and never waits; what is counted is stored within a second. */
export interface UsageRecorder {
  count(keyId: string, outcome: { readonly successful: boolean; readonly at: Date }): void;
  /** Stores what is counted so far. May throw `StoreUnavailable`: then it stays counted, to be stored later. */
  flush(): Promise<void>;
}
