import { createHash } from "node:crypto";
import type { Act } from "../audit/event.ts";
import { faultOf } from "../vocabulary/request-fault.ts";

/** For how long a call that makes a key can be repeated. */
export const REPEATABLE_MS = 86_400_000;

/** A call that makes a key, by hashes that say neither who called nor what was sent. */
export interface KeyRequest {
  /** Of the tenant, the caller and their id of the call. */
  readonly requestHash: string;
  /** Of what the call asks for. */
  readonly contentHash: string;
}

/** The key that a call has made before. */
export interface MadeKey {
  readonly keyId: string;
  readonly secretPrefix: string;
  readonly contentHash: string;
}

/** Thrown by the store, before anything is changed, for a call that has made its key already. */
export class AlreadyMade extends Error {
  readonly made: MadeKey;
  constructor(made: MadeKey) {
    super("the call has made its key already");
    this.made = made;
  }
}

/**
 * The call by which `clientRequestId` is known: of this caller in this tenant. Undefined: it has no id, and each call makes a
 * key. `content` is all that the key depends on, with the name of the RPC.
 */
export function keyRequest(
  clientRequestId: string,
  tenantId: string,
  { actor: { kind, issuer, userId } }: Pick<Act, "actor">,
  content: Readonly<Record<string, unknown>>,
): KeyRequest | undefined {
  if (clientRequestId === "") return undefined;
  return {
    requestHash: hashOf([tenantId, kind, issuer, userId, clientRequestId]),
    contentHash: hashOf(content),
  };
}

/** Throws if the id was used for a call that asked for something else. */
export function requireSameContent({ contentHash }: KeyRequest, made: MadeKey): void {
  if (contentHash === made.contentHash) return;
  throw faultOf(
    "client_request_id_reused",
    "client_request_id",
    "you have made another call with it within the last 24 hours; use another client_request_id",
  );
}

function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)))
    .digest("base64url");
}

/**
 * The same value for the same request: members by name, and without those that are not given. A version that knows more
 * members thus has the same hash for a call that another version has answered.
 */
function canonical(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, member]) => !isAbsent(member));
  return given.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]);
}

function isAbsent(member: unknown): boolean {
  return (
    member === undefined ||
    member === null ||
    member === "" ||
    member === false ||
    (Array.isArray(member) && member.length === 0)
  );
}
