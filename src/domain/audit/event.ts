import type { CallerKind } from "../access/principal.ts";
import type { Changes } from "./changes.ts";

/**
 * A kind of caller; GitHub, which signs its reports of leaked keys; a workload with a token of its own platform; or the service
 * itself, without a call.
 */
type ActorKind = CallerKind | "github" | "workload" | "service";

/** Who acted. Members that a kind of actor does not have are null. */
export interface Actor {
  readonly kind: ActorKind;
  /** Of a workload: the claim `sub` of its token. */
  readonly userId: string | null;
  /** Of the dashboard user, or of the workload. Null: a user of a publishable key, whose issuer is the key's. */
  readonly issuer: string | null;
  readonly keyId: string | null;
  /** Which of the operator's tokens was used, from 1. */
  readonly operatorToken: number | null;
}

/** Where a call came from. */
export interface Origin {
  readonly actor: Actor;
  /** The client's address. Null: unknown. */
  readonly address: string | null;
  readonly requestId: string;
  /** Null: the call belongs to no trace. */
  readonly traceId: string | null;
}

/** A call that may change something, and the action that its RPC names for that (`Policy.audit_action`). */
export interface Act extends Origin {
  readonly action: string;
}

/** What was acted on. */
export interface AuditTarget {
  readonly tenantId: string;
  readonly targetId: string;
}

/** The action of calls that were refused because their callers lack the right. */
export const ACCESS_DENIED = "access.denied";

/** What was refused. */
export interface Refusal {
  /** Such as `latchkey.v1.ApiKeyService/RevokeApiKey`. Empty: several, see `count`. */
  readonly rpc: string;
  readonly reason: string;
  /** How many calls the event stands for. */
  readonly count: number;
}

/** The action of the events of calls that import keys: with how many rows had which outcome. */
export const IMPORT_CALLED = "api_key.import_called";

/** The action of the events of webhooks that the service disabled. */
export const WEBHOOK_DISABLED = "webhook.disabled";

/** The action of the events of changes that the database had lost, and that the service made again. */
export const CHANGE_RESTORED = "change.restored";

/** The action of the events of changes that the database lost, and that cannot be made again. */
export const CHANGE_LOST = "change.lost";

/** The action of the events for the calls that a key made for a user. */
export const USER_IMPERSONATED = "user.impersonated";

/** What a key did for a user in an hour. */
export interface Impersonation {
  /** When the hour began, as ISO 8601 in UTC. */
  readonly hour: string;
  readonly calls: number;
}

/** An event of the audit trail as it is stored. */
export interface AuditEvent extends Act {
  readonly eventId: string;
  /** By the storage's clock. */
  readonly at: Date;
  /** Null: the caller had none. */
  readonly tenantId: string | null;
  /** Empty: the call was refused before its target was known. */
  readonly targetId: string;
  readonly changes: Changes;
  /** Null: the call was not refused. */
  readonly refusal: Refusal | null;
  /** Null: the event is about something else. */
  readonly impersonation: Impersonation | null;
}

/** The id by which events of an actor are found: the key's, the user's, or else the kind. */
export function actorId({ kind, keyId, userId }: Pick<Actor, "kind" | "keyId" | "userId">): string {
  switch (kind) {
    case "operator":
    case "anonymous":
    case "github":
    case "service":
      return kind;
    case "dashboard_user":
      return userId ?? "";
    case "secret_key":
    case "publishable_key":
    case "workload":
      return keyId ?? "";
    default:
      return kind satisfies never;
  }
}
