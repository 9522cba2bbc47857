import type { KeyUsage } from "../credentials/key.ts";
import type { DenialReason } from "../vocabulary/denial.ts";

/**
 * Why a use of a key failed: the caller was denied, the request had a wrong path or method (`not_found`), or the service
 * could not check it (`internal`), for example while the database was away.
 */
export type UseFailure = DenialReason | "not_found" | "internal";

/** Uses of one hour that ended alike. */
export interface HourUses {
  /** When the hour began: each hour of UTC. */
  readonly hour: Date;
  /** Null: they were successful. */
  readonly failure: UseFailure | null;
  /** At least 1. */
  readonly count: number;
}

/** Uses of a key since some instant, to be added to those before it. */
export interface KeyUses {
  readonly hours: readonly HourUses[];
  readonly lastUsedAt: Date;
}

/** A key and its uses in a period. */
export interface KeyTotals {
  readonly keyId: string;
  readonly name: string;
  readonly usage: KeyUsage;
}
