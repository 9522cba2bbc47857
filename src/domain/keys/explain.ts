import type { Admission, PresentedKey } from "../access/admission.ts";
import type { Authority } from "../access/authority.ts";
import { requireScope, requireTenant } from "../access/authorize.ts";
import type { Principal } from "../access/principal.ts";
import { mayUse } from "../access/scopes.ts";
import { type Question, requireActions } from "../access/verify.ts";
import { fenceRequirements } from "../credentials/fence.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { refusalOf } from "../credentials/status.ts";
import { isUnlimited, mostAtOnce } from "../limits/budget.ts";
import type { RateLimit } from "../limits/caps.ts";
import type { LimitState, PeekedLimit } from "../limits/decision.ts";
import { burstWarning } from "../limits/rate-limit.ts";
import { assessKeySet, type KeySetReport } from "../tokens/key-set-report.ts";
import type { TokenVerifier } from "../tokens/token-verifier.ts";
import { DENIALS, Denial, type DenialReason } from "../vocabulary/denial.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import type { KeyStore } from "./key-store.ts";
import type { IsUsableOidc } from "./oidc.ts";
import { keySourceOf } from "./oidc-expectation.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

export interface ExplainContext {
  readonly keys: Pick<KeyStore, "findSecretHash">;
  readonly admission: Pick<Admission, "find" | "peek">;
  readonly tokens: Pick<TokenVerifier, "inspectKeySet">;
  readonly authority: Authority;
  readonly isUsableOidc: IsUsableOidc;
}

/** The answer that a request with a key would get. `denial` is that of the first step that has one. */
export interface Explanation {
  readonly denial: DenialReason | null;
  readonly steps: readonly ExplainedStep[];
  readonly limit: LimitState;
  /** Undefined: the key has none. */
  readonly keySet: KeySetReport | undefined;
}

/** One check of a key. `denial` is the reason for which it would be refused. */
export interface ExplainedStep {
  readonly name: "status" | "source" | "oidc" | "rate_limit" | "scope";
  readonly denial: DenialReason | null;
  readonly detail: string;
}

/**
 * Looks up a key and, for a publishable key, its key set, as for a request with the key, but spends nothing. For dashboard
 * users with `api_keys:read` and the keys of their tenant.
 */
export async function explainKey(
  ctx: ExplainContext,
  principal: Principal,
  keyId: string,
  { scopes, cost }: Pick<Question, "scopes"> & { readonly cost: number },
): Promise<Explanation> {
  const { keys, admission, authority } = ctx;
  if (principal.kind !== "dashboard_user") {
    throw new Denial("insufficient_scope", {
      message: "explain is for dashboard users; call with only a user token.",
    });
  }
  const tenantId = requireTenant(principal);
  requireScope(principal, "api_keys:read", authority.rolesWith);
  if (keyId === "") throw faultOf("required", "key_id", "is required with explain");
  requireActions(scopes, authority.catalogue);
  const secretHash = await keys.findSecretHash(tenantId, possibleKeyId(keyId));
  const presented = secretHash === undefined ? undefined : await admission.find(secretHash);
  if (presented === undefined) throw keyNotFound();
  const keySet = await keySetOf(ctx, presented.key);
  // After the fetch, which may take seconds.
  const limit = await admission.peek(presented);
  const steps = explainSteps(presented, limitStep(presented.key.rateLimit, limit, cost), scopes, keySet, authority);
  return { denial: steps.find(({ denial }) => denial !== null)?.denial ?? null, steps, limit, keySet };
}

async function keySetOf(
  { tokens, isUsableOidc }: ExplainContext,
  { type, tenantId, oidc }: KeyRecord,
): Promise<KeySetReport | undefined> {
  if (type !== "publishable" || !isUsableOidc(oidc)) return undefined;
  return tokens.inspectKeySet(keySourceOf(tenantId, oidc));
}

/**
 * All checks of a request with this key, in the order of the gate. Checks after a failed one are included: they show the
 * operator the next problem.
 */
function explainSteps(
  presented: PresentedKey,
  rateLimit: ExplainedStep,
  scopes: Question["scopes"],
  keySet: KeySetReport | undefined,
  authority: Authority,
): ExplainedStep[] {
  const { key } = presented;
  return [
    statusStep(presented),
    ...sourceSteps(key),
    ...(key.type === "publishable" ? [oidcStep(key, keySet)] : []),
    rateLimit,
    ...scopes.map(([, scope]) => scopeStep(key, scope, authority)),
  ];
}

function statusStep(presented: PresentedKey): ExplainedStep {
  const refusal = refusalOf(presented);
  return { name: "status", denial: refusal?.reason ?? null, detail: refusal?.message ?? "The key is active." };
}

/** The requirements for a request, without one whose source could be checked. */
function sourceSteps(key: KeyRecord): ExplainedStep[] {
  const detail = fenceRequirements(key);
  return detail === "" ? [] : [{ name: "source", denial: null, detail }];
}

function oidcStep({ oidc }: KeyRecord, keySet: KeySetReport | undefined): ExplainedStep {
  if (oidc === null || keySet === undefined) {
    const denial = "misconfigured_publishable_key";
    return { name: "oidc", denial, detail: DENIALS[denial].sentence };
  }
  const { denial, failure, found } = assessKeySet(keySet);
  const source = denial === "verifier_error" ? "" : `Users' tokens must come from ${oidc.issuer} for ${oidc.audience}.`;
  return { name: "oidc", denial, detail: [failure, source, found].filter((sentence) => sentence !== "").join(" ") };
}

/** The limit that each user has is not part of the decision: the question names no user. */
function limitStep(
  rateLimit: RateLimit,
  { limit, remaining, resetAt, atOnce }: PeekedLimit,
  cost: number,
): ExplainedStep {
  const sentences = [
    isUnlimited(rateLimit)
      ? "The key has no limit."
      : `${remaining} of ${limit} requests remain until ${resetAt.toISOString()}.`,
    ...(atOnce < remaining ? [`Of them ${atOnce} would be admitted at once now.`] : []),
    ...(cost > mostAtOnce(rateLimit) ? [`A request that costs ${cost} is never admitted.`] : []),
    ...(rateLimit.perUser === undefined ? [] : ["Each user has a limit of their own beside it."]),
    burstWarning(rateLimit) ?? "",
  ];
  const detail = sentences.filter((sentence) => sentence !== "").join(" ");
  return { name: "rate_limit", denial: atOnce >= cost ? null : "rate_limited", detail };
}

function scopeStep(key: KeyRecord, scope: string, authority: Authority): ExplainedStep {
  return mayUse(authority.rightsOfKey(key), scope)
    ? { name: "scope", denial: null, detail: `The key's permissions grant ${scope}.` }
    : { name: "scope", denial: "insufficient_scope", detail: `The key's permissions do not grant ${scope}.` };
}
