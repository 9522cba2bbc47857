import type { KeyUsage } from "../credentials/key.ts";
import type { UsagePeriod } from "./period.ts";
import type { StepUses } from "./series.ts";
import type { KeyTotals, UseFailure } from "./uses.ts";

/** Counts how keys are used. `count` never fails and never waits. */
export interface UsageRecorder {
  /**
   * `failure` undefined: the use was successful. `times`: how many uses, default one. Returns whether it is the first successful one since the key's uses were last
   * stored.
   */
  count(
    keyId: string,
    use: { readonly failure: UseFailure | undefined; readonly at: Date; readonly times?: number },
  ): boolean;
  /** The last use that this process has counted and not stored yet. */
  lastUsed(keyId: string): Date | undefined;
  /**
   * Stores what all replicas have counted of a key so far. A replica that does not answer within a second is left out. May
   * throw `StoreUnavailable`.
   */
  collect(keyId: string): Promise<void>;
}

/** The uses of each hour, as far as they are stored and kept. Every method may throw `StoreUnavailable`. */
export interface UsageHistory {
  /**
   * The counters of a key, and its uses in a period, as they were at one instant. All zero and none for a key that was
   * never used, and for one that the tenant does not have.
   */
  readKey(
    tenantId: string,
    keyId: string,
    period: UsagePeriod,
  ): Promise<{ readonly usage: KeyUsage; readonly uses: readonly StepUses[] }>;
  /** The uses of all keys of a tenant in a period. */
  readTenant(tenantId: string, period: UsagePeriod): Promise<readonly StepUses[]>;
  /**
   * The keys of a tenant with the most uses in a period, at most `most` of them, in descending order. With a reason, only uses
   * that failed for it are counted.
   */
  readTopKeys(tenantId: string, period: UsagePeriod, most: number, reason?: string): Promise<readonly KeyTotals[]>;
  /** Removes at most `most` rows of hours that began before an instant, and returns how many. Skips locked rows. */
  removeBefore(instant: Date, most: number): Promise<number>;
}
