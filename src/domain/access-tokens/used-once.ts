/** What may be used once: assertions of workloads, and proofs of possession. Of all replicas together. */
export interface UsedOnce {
  /** Whether it was used before the call. It may be used meanwhile: only `use` decides. Throws `StoreUnavailable`. */
  isUsed(hash: Uint8Array): Promise<boolean>;
  /**
   * Whether this is its first use. It is remembered until `until`, and is then to be refused by its own times. Throws
   * `StoreUnavailable`.
   */
  use(hash: Uint8Array, until: Date): Promise<boolean>;
}
