import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  EdgeDecisionSchema,
  EdgeImpersonations,
  EdgeKeyFormatsSchema,
  EdgeKeySchema,
  EdgeRequest,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import { CHECKS } from "../domain/access/checks.ts";
import type { ImpersonatedCalls } from "../domain/audit/audit-trail.ts";
import type { FoundKey } from "../domain/credentials/key.ts";
import type { KeyFormatList } from "../domain/key-formats/key-format.ts";
import type { IsUsableOidc } from "../domain/keys/oidc.ts";
import type { LimitDecision, LimitState } from "../domain/limits/decision.ts";
import { FAILURES, type RecentRequest } from "../domain/requests/recent-request.ts";
import type { UseFailure } from "../domain/usage/uses.ts";
import { isDenialReason } from "../domain/vocabulary/denial.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import { toKeyRecord } from "./api-key-converter.ts";
import { toDate, toTimestamp } from "./dates.ts";
import { toKeyFormat } from "./key-format-converter.ts";

/** A key for an edge, without the texts for people and without a configuration that cannot be used. */
export function toEdgeKey(key: FoundKey, isUsableOidc: IsUsableOidc): MessageInitShape<typeof EdgeKeySchema> {
  const oidc = isUsableOidc(key.oidc) ? key.oidc : null;
  return {
    key: {
      ...toKeyRecord({ ...key, oidc, secretPrefix: "", name: "", description: "" }),
      tenantId: key.tenantId,
    },
    disabledAt: toTimestamp(key.disabledAt),
    budgetId: key.budgetId ?? "",
    sharedUntil: toTimestamp(key.sharedUntil ?? null),
  };
}

/** The forms of other systems' keys, for an edge, which does not need to know who may import them. */
export function toEdgeFormats({ formats }: KeyFormatList): MessageInitShape<typeof EdgeKeyFormatsSchema> {
  return { formats: formats.map((format) => toKeyFormat({ ...format, tenants: [] })) };
}

/** What a look at a budget shows, for an edge. */
export function toEdgeState({ limit, remaining, resetAt, scope }: LimitState) {
  return { limit, remaining, resetAtMs: BigInt(resetAt.getTime()), ofUser: scope === "user" };
}

export function toEdgeDecision(decision: LimitDecision): MessageInitShape<typeof EdgeDecisionSchema> {
  if (decision.kind === "allow") return toEdgeState(decision);
  return { ...toEdgeState(decision), denied: true, retryAfterSeconds: decision.retryAfterSeconds ?? 0 };
}

/** Why a use failed that an edge reports. Null: it was successful. Throws `RequestFault`. */
export function fromFailure(failure: string, field: string): UseFailure | null {
  if (failure === "") return null;
  const known = isDenialReason(failure) ? failure : FAILURES.find((each) => each === failure);
  if (known === undefined) throw invalid(field, "is not a reason of a denial");
  return known;
}

/** A recent request that an edge reports. Throws `RequestFault`: one that cannot be stored would hold up those of others. */
export function fromEdgeRequest({ request, failedCheck }: EdgeRequest, field: string): RecentRequest {
  const at = toDate(request?.at);
  if (request === undefined || at === null) throw invalid(`${field}.request.at`, "is required");
  const { requestId, tenantId, keyId, tokenId, caller, userId, address, rpc, scope, reason, message } = request;
  if (caller !== "" && caller !== "secret_key" && caller !== "publishable_key")
    throw invalid(`${field}.request.caller`, "is not a kind of key");
  const check = CHECKS.find(({ name }) => name === failedCheck);
  if (failedCheck !== "" && check === undefined) throw invalid(`${field}.failedCheck`, "is not a check");
  return {
    ...{ requestId, at, rpc, scope, message },
    tenantId: tenantId || null,
    keyId: keyId || null,
    tokenId: tokenId || null,
    caller: caller || null,
    userId: userId || null,
    address: address || null,
    reason: fromFailure(reason, `${field}.request.reason`),
    failedCheck: check?.name ?? null,
  };
}

/** Calls for a user within an hour that an edge reports. */
export function fromEdgeImpersonations(counted: EdgeImpersonations): ImpersonatedCalls {
  const { hourMs, tenantId, keyId, userId, calls, requestId, address, traceId } = counted;
  const origin = { requestId, address: address || null, traceId: traceId || null };
  return { ...{ tenantId, keyId, userId, calls, origin }, hour: new Date(Number(hourMs)) };
}
