import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { KeyType, type OidcConfig as OidcConfigMessage, OidcConfigSchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import type {
  EdgeDecision,
  EdgeDenial,
  EdgeImpersonationsSchema,
  EdgeKey,
  EdgeKeyFormats,
  EdgeRequestSchema,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { KeyFormat as KeyFormatMessage } from "../../gen/latchkey/v1/key_format_pb.ts";
import type { ImpersonatedCalls } from "../domain/audit/audit-trail.ts";
import type { FoundKey, OidcConfig } from "../domain/credentials/key.ts";
import {
  ALGORITHMS,
  ALPHABETS,
  CASES,
  HASHED_PARTS,
  type KeyFormat,
  type KeyFormatList,
} from "../domain/key-formats/key-format.ts";
import type { LimitDecision, LimitState, PeekedLimit } from "../domain/limits/decision.ts";
import { withPerUser } from "../domain/limits/rate-limit.ts";
import type { RecentRequest } from "../domain/requests/recent-request.ts";
import { Denial, isDenialReason } from "../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";

/** A key as the service sends it. Throws `StoreUnavailable` for an incomplete one: without its limit it would be unlimited. */
export function fromEdgeKey({ key, disabledAt, budgetId, sharedUntil }: EdgeKey): FoundKey {
  const { tenantId, rateLimit, createdAt, updatedAt } = key ?? {};
  if (!key || tenantId === undefined || !rateLimit || !createdAt || !updatedAt)
    throw new StoreUnavailable("the service has sent an incomplete key");
  const { keyId, permissions, publishableConfig, allowedIps, allowedOrigins } = key;
  const type = key.keyType === KeyType.SECRET ? "secret" : "publishable";
  return {
    keyId,
    tenantId,
    type,
    secretPrefix: key.keyPrefix,
    name: key.name,
    description: key.description,
    permissions,
    rateLimit: withPerUser(rateLimit, rateLimit.perUser),
    oidc: publishableConfig?.oidc === undefined ? null : fromOidc(publishableConfig.oidc),
    expiresAt: dateOf(key.expiresAt),
    createdAt: timestampDate(createdAt),
    updatedAt: timestampDate(updatedAt),
    disabledAt: dateOf(disabledAt),
    revokedAt: dateOf(key.revokedAt),
    rotatedTo: key.rotatedTo ?? null,
    rotatedFrom: key.rotatedFrom ?? null,
    metadata: key.metadata ?? null,
    externalId: key.externalId ?? "",
    budgetId: budgetId || null,
    allowedIps,
    allowedOrigins,
    allowBrowser: type === "publishable" || key.allowBrowser === true,
    sharedUntil: dateOf(sharedUntil) ?? undefined,
  };
}

/** The members of the message have the names of the configuration's in JSON. `isCompleteOidc` checks them before each use. */
function fromOidc(oidc: OidcConfigMessage): OidcConfig {
  return toJson(OidcConfigSchema, oidc, { alwaysEmitImplicit: true }) as unknown as OidcConfig;
}

function dateOf(timestamp: EdgeKey["disabledAt"]): Date | null {
  return timestamp === undefined ? null : timestampDate(timestamp);
}

/** The formats as the service sends them. Throws `StoreUnavailable` for a word that an edge does not know. */
export function fromEdgeFormats({ formats }: EdgeKeyFormats): KeyFormatList {
  return { formats: formats.map(fromEdgeFormat) };
}

function fromEdgeFormat({ createdAt, ...format }: KeyFormatMessage): KeyFormat {
  const { prefix, lengthMin, lengthMax, pepper, separator, tenants } = format;
  if (!createdAt) throw new StoreUnavailable("the service has sent an incomplete format");
  return {
    ...{ prefix, lengthMin, lengthMax, pepper, separator, tenants, pepperFingerprint: "" },
    name: format.keyFormat,
    alphabet: oneOf(ALPHABETS, format.alphabet),
    case: oneOf(CASES, format.case),
    algorithm: oneOf(ALGORITHMS, format.algorithm),
    hashedPart: oneOf(HASHED_PARTS, format.hashedPart),
    isBearer: format.bearer,
    createdAt: timestampDate(createdAt),
  };
}

function oneOf<Word extends string>(words: readonly Word[], sent: string): Word {
  const known = words.find((word) => word === sent);
  if (known === undefined) throw new StoreUnavailable("the service has sent a format of another release");
  return known;
}

/** Why a token is refused. Throws `StoreUnavailable` for a reason that an edge does not know. */
export function fromEdgeDenial({ reason, message, retryAfterMs, wrongSender }: EdgeDenial): Denial {
  if (!isDenialReason(reason)) throw new StoreUnavailable("the service has refused a token for an unknown reason");
  return new Denial(reason, { message, retryAfterMs, dpopError: wrongSender ? "invalid_token" : undefined });
}

export function fromEdgeDecision(decision: EdgeDecision): LimitDecision {
  const state = stateOf(decision);
  if (!decision.denied) return { kind: "allow", ...state };
  return { kind: "deny", retryAfterSeconds: decision.retryAfterSeconds || undefined, ...state };
}

/** What a look at a budget shows. */
export function fromEdgePeek(decision: EdgeDecision): PeekedLimit {
  return { ...stateOf(decision), atOnce: decision.atOnce };
}

function stateOf({ limit, remaining, resetAtMs, ofUser }: EdgeDecision): LimitState {
  return { limit, remaining, resetAt: new Date(Number(resetAtMs)), scope: ofUser ? "user" : undefined };
}

export function toEdgeRequest(request: RecentRequest): MessageInitShape<typeof EdgeRequestSchema> {
  const { requestId, at, rpc, scope, message } = request;
  return {
    request: {
      ...{ requestId, rpc, scope, message },
      at: timestampFromDate(at),
      tenantId: request.tenantId ?? "",
      keyId: request.keyId ?? "",
      tokenId: request.tokenId ?? "",
      caller: request.caller ?? "",
      userId: request.userId ?? "",
      address: request.address ?? "",
      reason: request.reason ?? "",
    },
    failedCheck: request.failedCheck ?? "",
  };
}

export function toEdgeImpersonations(counted: ImpersonatedCalls): MessageInitShape<typeof EdgeImpersonationsSchema> {
  const { hour, tenantId, keyId, userId, calls, origin } = counted;
  const { requestId, address, traceId } = origin;
  return {
    ...{ tenantId, keyId, userId, calls, requestId },
    hourMs: BigInt(hour.getTime()),
    address: address ?? "",
    traceId: traceId ?? "",
  };
}
