import type { VerifyResponse } from "../gen/latchkey/v1/auth_service_pb.ts";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";

/** Who is calling, as Latchkey verified it. */
export interface VerifiedCaller {
  readonly kind: "dashboard_user" | "secret_key" | "publishable_key";
  readonly tenantId: string;
  /** `key_...`; undefined for a dashboard user. */
  readonly keyId: string | undefined;
  /** The token's user, or the one a secret key acts for; undefined without a user. */
  readonly userId: string | undefined;
  /** What the caller may do: scopes and wildcards of the API key, or of the dashboard user's roles. */
  readonly permissions: readonly string[];
  /** `tok_...`, if a token that stands for the secret key was sent; undefined otherwise. */
  readonly tokenId?: string | undefined;
  /** The user a secret key acts for, by `X-On-Behalf-Of` or by a token with that user; undefined otherwise. */
  readonly actingFor?: string | undefined;
  /** The tenant's own identifier for what the key belongs to; undefined if the key has none. */
  readonly externalId?: string | undefined;
  /** The tenant's data of the key; undefined without any. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** On the request under a symbol, which no header and no body can set, shared by all copies of this package. */
const CALLER = Symbol.for("latchkey.caller");

/** Undefined for a kind of caller that is younger than this package: what it may do is not known here. */
export function toCaller(answer: VerifyResponse, tenantOptional = false): VerifiedCaller | undefined {
  const kind = kindOf(answer.caller);
  if (kind === undefined || (answer.tenantId === "" && !tenantOptional)) return undefined;
  const { tenantId, permissions, tokenId, actingFor, externalId, metadata } = answer;
  return {
    ...{ kind, tenantId, keyId: answer.keyId || undefined, userId: answer.userId || undefined, permissions },
    ...(tokenId && { tokenId }),
    ...(actingFor && { actingFor }),
    ...(externalId && { externalId }),
    ...(metadata && { metadata }),
  };
}

function kindOf(caller: Caller): VerifiedCaller["kind"] | undefined {
  switch (caller) {
    case Caller.DASHBOARD_USER:
      return "dashboard_user";
    case Caller.SECRET_KEY:
      return "secret_key";
    case Caller.PUBLISHABLE_KEY:
      return "publishable_key";
    default:
      return undefined;
  }
}

export function putCaller(request: object, caller: VerifiedCaller): void {
  Object.defineProperty(request, CALLER, { value: Object.freeze(caller), configurable: true });
}

/**
 * The caller of a request that a guard let pass; of an RPC, by its `HandlerContext`. Throws an `Error` where none did, so
 * that a forgotten guard shows, and for an RPC whose caller has no tenant.
 */
export function callerOf(request: object): VerifiedCaller {
  for (const holder of [request, "values" in request ? request.values : undefined])
    if (typeof holder === "object" && holder !== null && hasCaller(holder)) return holder[CALLER];
  throw new Error("no guard has let this request pass");
}

function hasCaller(request: object): request is { [CALLER]: VerifiedCaller } {
  return Object.hasOwn(request, CALLER);
}
