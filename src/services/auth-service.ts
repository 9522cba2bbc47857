import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuthService, VerifyRequest } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { Caller } from "../../gen/latchkey/v1/policy_pb.ts";
import { callingUser } from "../domain/access/acting-user.ts";
import type { Authority } from "../domain/access/authority.ts";
import { actingForOf, type CallerKind, keyOf, type Principal, tokenOf } from "../domain/access/principal.ts";
import { type Question, verifyCaller } from "../domain/access/verify.ts";
import { type ExplainContext, type Explanation, explainKey } from "../domain/keys/explain.ts";
import type { LimitState } from "../domain/limits/decision.ts";
import { type KeySetReport, usableKeys } from "../domain/tokens/key-set-report.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import { type CallContext, callOf, principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { toTags } from "./api-key-converter.ts";

const CALLERS: Record<CallerKind, Caller> = {
  dashboard_user: Caller.DASHBOARD_USER,
  secret_key: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
  operator: Caller.OPERATOR,
  anonymous: Caller.ANYONE,
};

export interface AuthContext {
  readonly authority: Authority;
  /** Undefined: no caller of this process may have a key explained. */
  readonly explanations: ExplainContext | undefined;
}

export function createAuthService(ctx: AuthContext): UnaryImpl<typeof AuthService> {
  return {
    verify(req, context) {
      const principal = principalOf(context.values);
      if (req.explain) return explained(ctx.explanations, principal, req, context);
      if (req.keyId !== "") throw invalid("key_id", "is only for explain; the key itself goes into X-API-Key");
      verifyCaller(principal, { scopes: scopesOf(req), tenantOptional: req.tenantOptional }, ctx.authority);
      return toCaller(principal, context);
    },
  };
}

function toCaller(principal: Principal, context: CallContext) {
  const { limit } = callOf(context.values);
  const key = keyOf(principal);
  const tags = key && toTags(key);
  return {
    caller: CALLERS[principal.kind],
    tenantId: principal.tenantId ?? "",
    keyId: key?.keyId ?? "",
    userId: callingUser(principal) ?? "",
    permissions: [...principal.rights.scopes],
    actingFor: actingForOf(principal) ?? "",
    // Absent where they are undefined.
    rateLimit: limit && toLimitState(limit),
    metadata: tags?.metadata,
    externalId: tags?.externalId,
    tokenId: tokenOf(principal)?.tokenId,
  };
}

async function explained(
  ctx: ExplainContext | undefined,
  principal: Principal,
  req: VerifyRequest,
  context: CallContext,
) {
  const explanation = await explainKey(ctx, principal, req.keyId, { scopes: scopesOf(req), cost: req.cost ?? 1 });
  return { ...toCaller(principal, context), explanation: toExplanation(explanation) };
}

function toExplanation({ denial, steps, limit, keySet }: Explanation) {
  return {
    allowed: denial === null,
    denialReason: denial ?? "",
    steps: steps.map((step) => ({ name: step.name, passed: step.denial === null, detail: step.detail })),
    rateLimit: toLimitState(limit),
    // Absent where it is undefined.
    keySet: keySet && toKeySet(keySet),
  };
}

function toKeySet({ problem = "", inUse }: KeySetReport) {
  if (inUse === undefined) return { problem, keyCount: 0, usableKeyCount: 0, keys: [] };
  return {
    problem,
    fetchedAt: timestampFromDate(inUse.fetchedAt),
    keyCount: inUse.keyCount,
    usableKeyCount: usableKeys(inUse),
    keys: inUse.keys.map(({ kid = "", algs, problem = "" }) => ({ kid, algs: [...algs], problem })),
  };
}

function scopesOf({ scope, scopes }: VerifyRequest): Question["scopes"] {
  const asked = scopes.map((one, index) => [`scopes[${index}]`, one] as const);
  return scope === undefined ? asked : [["scope", scope], ...asked];
}

function toLimitState({ limit, remaining, resetAt, scope }: LimitState) {
  return { limit, remaining, resetAt: timestampFromDate(resetAt), scope };
}
