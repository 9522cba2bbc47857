import { createHash } from "node:crypto";
import type { Act } from "../audit/event.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";

/** For how long a repeated call returns what the first one has made. */
export const IDEMPOTENT_MS = 86_400_000;

/** A call with an id of its caller's, by hashes that say neither who called nor what was sent. */
export interface IdempotentCall {
  /** Of the tenant, the caller and their id of the call. */
  readonly callHash: string;
  /** Of what the call asks for. */
  readonly contentHash: string;
}

/** The outcome of the first call. */
export interface IdempotencyRecord {
  /** The id of the key, webhook, invitation or token. */
  readonly madeId: string;
  readonly contentHash: string;
}

/** The records of the idempotent calls of the last 24 hours. Both methods may throw `StoreUnavailable`. */
export interface IdempotentCalls {
  findRecord(call: IdempotentCall): Promise<IdempotencyRecord | undefined>;
  /** Forgets some calls that are older. Returns whether there may be more. */
  removeOld(): Promise<boolean>;
}

/** Thrown by a store, before anything is changed, for a call that was made already. */
export class IdempotentReplay extends Error {
  readonly record: IdempotencyRecord;
  constructor(record: IdempotencyRecord) {
    super("the call was made already");
    this.record = record;
  }
}

/**
 * The call by which `clientRequestId` is known: of this caller in this tenant. Undefined: it has no id, and each call is a new
 * one. `content` is all that the outcome of `rpc` depends on, where members with default values have them or are absent, and
 * lists are sets. Values that must not be compared so are texts (`exactJson`).
 */
export function idempotentCall(
  clientRequestId: string,
  tenantId: string,
  { actor: { kind, issuer, userId } }: Pick<Act, "actor">,
  rpc: string,
  content: Readonly<Record<string, unknown>>,
): IdempotentCall | undefined {
  if (clientRequestId === "") return undefined;
  return {
    callHash: hashOf([tenantId, kind, issuer, userId, clientRequestId]),
    contentHash: hashOf([rpc, meaningOf(content)]),
  };
}

/** Throws if the id was used for a call that asked for something else. */
export function requireSameContent({ contentHash }: IdempotentCall, record: IdempotencyRecord): void {
  if (contentHash !== record.contentHash) throw requestIdReused();
}

export function requestIdReused(): RequestFault {
  return faultOf(
    "client_request_id_reused",
    "client_request_id",
    "you have made another call with it within the last 24 hours; use another client_request_id",
  );
}

/** A caller's own JSON as one text for the same value: members by name, and lists and empty values as they are. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

/**
 * The same value for requests that mean the same: members by name, without those that say nothing, and lists in one order
 * without duplicates. A version that knows more members thus has the same hash for a call that another version has answered.
 */
function meaningOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(meaningOf(item))))].toSorted();
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, meaningOf(member)] as const);
  return members.filter(([, member]) => saysSomething(member)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Of a member's meaning, where an object is a list of its members. */
function saysSomething(meaning: unknown): boolean {
  if (Array.isArray(meaning)) return meaning.length > 0;
  return meaning !== undefined && meaning !== null && meaning !== "" && meaning !== false && meaning !== 0;
}
