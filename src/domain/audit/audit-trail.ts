import type { SecretKeyCaller } from "../access/principal.ts";
import type { TimeCursor } from "../vocabulary/time-cursor.ts";
import type { AuditEvent, Origin, Refusal } from "./event.ts";
import type { OriginalCall } from "./origin.ts";

/** Which events to read. Empty texts and null match all. */
export interface AuditFilter {
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  readonly actorId: string;
  readonly action: string;
  readonly targetId: string;
  readonly requestId: string;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Undefined: there are no more. */
  readonly next: TimeCursor | undefined;
}

/**
 * The audit trail. Events of changes are written by the stores that make the changes, each in the transaction of its
 * change. Every method may throw `StoreUnavailable`.
 */
export interface AuditTrail {
  /**
   * Newest first, after the cursor. For all tenants, and calls without one, if `tenantId` is null. `byOperator`: the operator
   * reads, so that the tenant's own lists do not hold it up.
   */
  listEvents(
    tenantId: string | null,
    filter: AuditFilter,
    page: { readonly after: TimeCursor | undefined; readonly perPage: number; readonly byOperator?: boolean },
  ): Promise<AuditPage>;
  /**
   * Stores the refusal of one call, unless the actor has ten events of refusals in this tenant within the last minute, on all
   * replicas together. Returns whether it did.
   */
  insertRefusal(refused: RefusedCall): Promise<boolean>;
  /** Stores one event for several refused calls of an actor. */
  insertRefusals(refused: RefusedCall): Promise<void>;
  /** Adds calls to their hours. A batch that is sent again changes nothing. */
  addImpersonations(batchId: string, counted: readonly ImpersonatedCalls[]): Promise<void>;
  /** Makes an event of each of some hours that began before `before`. Returns whether there may be more. */
  storeHours(before: Date): Promise<boolean>;
  /**
   * Says that this replica keeps events for `days`. Returns the longest retention that a replica has said within the last
   * day, by the storage's clock.
   */
  agreeOnDays(days: number): Promise<number>;
  /** Removes some events that are older than `days`. Returns whether there may be more. */
  removeOld(days: number): Promise<boolean>;
}

/** A call that was refused because its caller lacks the right. */
export interface RefusedCall extends Origin, Refusal {
  /** Null: the caller has none. */
  readonly tenantId: string | null;
}

/** Takes refused calls for the audit trail. `record` never fails and never waits. */
export interface RefusalRecorder {
  record(refused: Omit<RefusedCall, "count">): void;
  /** Resolves when the refusals that were recorded before are stored, or have failed to be. */
  settled(): Promise<void>;
}

/** The calls of a key for a user within an hour that one process has counted. */
export interface ImpersonatedCalls {
  /** When the hour began. */
  readonly hour: Date;
  readonly tenantId: string;
  readonly keyId: string;
  readonly userId: string;
  readonly calls: number;
  /** Where the first of them came from. */
  readonly origin: Omit<Origin, "actor">;
}

/** A key that acts for a user. Null: it acts for none, and nothing is counted. */
export interface ImpersonatingCaller extends Pick<SecretKeyCaller, "tenantId" | "onBehalfOf"> {
  readonly key: Pick<SecretKeyCaller["key"], "keyId">;
}

/** Takes the admitted calls of keys for users, for the audit trail. Neither method fails or waits. */
export interface ImpersonationRecorder {
  /** Whether a call can be recorded with its user. One that cannot must not be admitted. */
  hasRoom(at: Date, caller: ImpersonatingCaller): boolean;
  record(at: Date, call: OriginalCall, caller: ImpersonatingCaller): void;
}

/** Takes calls that an edge has admitted and counted. */
export interface CountedImpersonations {
  addCounted(counted: ImpersonatedCalls): void;
}
