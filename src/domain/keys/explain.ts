import { DENIALS, Denial, type DenialReason } from "../denial.ts";
import type { Principal } from "../identity/principal.ts";
import type { LimitState } from "../limits/decision.ts";
import { requireTenant } from "../policy/authorize.ts";
import { keyMay } from "../policy/scopes.ts";
import { type Question, requireActions } from "../policy/verify.ts";
import type { Admission, PresentedKey } from "../ports/admission.ts";
import type { KeyStore } from "../ports/keys.ts";
import type { TokenVerifier } from "../ports/tokens.ts";
import { invalid } from "../request-fault.ts";
import type { KeyRecord } from "./key.ts";
import { isCompleteOidc } from "./oidc.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";
import { denialOfStatus, keyStatus } from "./status.ts";

export interface ExplainContext {
  readonly keys: Pick<KeyStore, "findSecretHash">;
  readonly admission: Pick<Admission, "present" | "peek">;
  readonly tokens: Pick<TokenVerifier, "keySetTrouble">;
}

/** What a request with a key would be answered; `denial` is the first step's that has one. */
export interface Explanation {
  readonly denial: DenialReason | null;
  readonly steps: readonly ExplainedStep[];
  readonly limit: LimitState;
}

/** One judgement of a key; `denial` is what it would be refused for. */
export interface ExplainedStep {
  readonly name: "status" | "oidc" | "rate_limit" | "scope";
  readonly denial: DenialReason | null;
  readonly detail: string;
}

/** Looks a key up as its holder would, but spends nothing. Dashboard users are told of the keys of their tenant. */
export async function explainKey(
  { keys, admission, tokens }: ExplainContext,
  principal: Principal,
  keyId: string,
  scopes: Question["scopes"],
): Promise<Explanation> {
  if (principal.kind !== "dashboard_user") {
    throw new Denial("insufficient_scope", {
      message: "explain is for dashboard users; call with a user token alone.",
    });
  }
  const tenantId = requireTenant(principal);
  if (keyId === "") throw invalid("key_id", "is required with explain");
  requireActions(scopes);
  const secretHash = await keys.findSecretHash(tenantId, possibleKeyId(keyId));
  const presented = secretHash === undefined ? undefined : await admission.present(secretHash, false);
  if (presented === undefined) throw keyNotFound();
  const limit = await admission.peek(presented);
  const steps = judgements(presented, limit, scopes, tokens);
  return { denial: steps.find(({ denial }) => denial !== null)?.denial ?? null, steps, limit };
}

/**
 * How a request with this key would be judged, in the order of the gate, every step of it: what comes after a failure
 * is what an operator would trip over next.
 */
function judgements(
  { key, at }: PresentedKey,
  limit: LimitState,
  scopes: Question["scopes"],
  tokens: ExplainContext["tokens"],
): ExplainedStep[] {
  return [
    statusStep(key, at),
    ...(key.type === "publishable" ? [oidcStep(key, tokens)] : []),
    limitStep(limit),
    ...scopes.map(([, scope]) => scopeStep(key, scope)),
  ];
}

function statusStep(key: KeyRecord, at: Date): ExplainedStep {
  const denial = denialOfStatus(keyStatus(key, at));
  return { name: "status", denial, detail: denial === null ? "The key is active." : DENIALS[denial].sentence };
}

function oidcStep({ tenantId, oidc }: KeyRecord, tokens: ExplainContext["tokens"]): ExplainedStep {
  if (!isCompleteOidc(oidc)) {
    const denial = "misconfigured_publishable_key";
    return { name: "oidc", denial, detail: DENIALS[denial].sentence };
  }
  const trouble = tokens.keySetTrouble({ jwksUrl: oidc.jwksUrl, jwksOwner: { kind: "tenant", tenantId } });
  if (trouble !== undefined) {
    const detail = `The key set at the key's jwksUrl could not be fetched: ${trouble}.`;
    return { name: "oidc", denial: "verifier_error", detail };
  }
  return { name: "oidc", denial: null, detail: `Users' tokens must come from ${oidc.issuer} for ${oidc.audience}.` };
}

function limitStep({ limit, remaining, resetAt }: LimitState): ExplainedStep {
  const told = `${remaining} of ${limit} requests remain until ${resetAt.toISOString()}.`;
  return { name: "rate_limit", denial: remaining > 0 ? null : "rate_limited", detail: told };
}

function scopeStep(key: KeyRecord, scope: string): ExplainedStep {
  return keyMay(key, scope)
    ? { name: "scope", denial: null, detail: `The key's permissions grant ${scope}.` }
    : { name: "scope", denial: "insufficient_scope", detail: `The key's permissions do not grant ${scope}.` };
}
