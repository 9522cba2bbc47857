/** Counts how keys are used. `count` never fails and never waits; counts are stored within a second. */
export interface UsageRecorder {
  count(keyId: string, outcome: { readonly successful: boolean; readonly at: Date }): void;
  /** Stores the counts so far. May throw `StoreUnavailable`: then they are kept and stored later. */
  flush(): Promise<void>;
}
