import type { TimeCursor } from "../vocabulary/time-cursor.ts";
import type { RecentRequest, Verdict } from "./recent-request.ts";

/**
 * How many requests are kept that were denied or failed, and how many that were admitted: of each key, and of a tenant's users
 * without a key.
 */
export const KEPT_OF_KEY = 100;
/** How many are kept that have no tenant. */
export const KEPT_WITHOUT_TENANT = 1_000;

/** Which requests to read. Empty texts and null match all. */
export interface RequestFilter {
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  readonly keyId: string;
  readonly tokenId: string;
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly requestId: string;
}

export interface RequestPage {
  readonly requests: readonly RecentRequest[];
  /** Undefined: there are no more. */
  readonly next: TimeCursor | undefined;
}

/** The recent requests, as far as they are stored and kept. Every method may throw `StoreUnavailable`. */
export interface RequestLog {
  /**
   * Stores requests, oldest first, and removes those beyond what is kept of each key. A batch that is sent again changes nothing.
   * Requests of an erased tenant are not stored.
   */
  addRequests(batchId: string, requests: readonly RecentRequest[]): Promise<void>;
  /** Those of a tenant, newest first, after the cursor. */
  listRequests(
    tenantId: string,
    filter: RequestFilter,
    page: { readonly after: TimeCursor | undefined; readonly perPage: number },
  ): Promise<RequestPage>;
  /** The newest request with an id. Null: of any tenant, and of none. */
  findRequest(tenantId: string | null, requestId: string): Promise<RecentRequest | undefined>;
  /** Removes at most `most` requests before an instant, and returns how many. Skips locked rows. */
  removeBefore(instant: Date, most: number): Promise<number>;
}

/** Takes requests for the log as they are decided. Only `stored` waits, and nothing fails. */
export interface RequestRecorder {
  /** Whether requests are kept at all. */
  readonly isOn: boolean;
  /** Whether an admitted request of a key is to be recorded: one a minute of each key. Asking makes it the one. */
  samples(keyId: string, at: Date): boolean;
  record(request: RecentRequest): void;
  /** Resolves when what was recorded before is stored as far as it is its turn, or could not be. */
  stored(): Promise<void>;
}
