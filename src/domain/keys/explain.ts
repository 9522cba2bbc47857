import { DENIALS, type DenialReason } from "../denial.ts";
import type { LimitState } from "../limits/decision.ts";
import { anyGrants, publishableMay } from "../policy/scopes.ts";
import type { KeyRecord } from "./key.ts";
import { isCompleteOidc } from "./oidc.ts";
import { keyStatus } from "./status.ts";

/** One judgement of a key; `denial` is what it would be refused for. */
export interface ExplainedStep {
  readonly name: "status" | "oidc" | "rate_limit" | "scope";
  readonly denial: DenialReason | null;
  readonly detail: string;
}

/**
 * How a request with this key would be judged, in the order of the gate, every step of it: what comes after a failure
 * is what an operator would trip over next.
 */
export function explainKey(key: KeyRecord, at: Date, limit: LimitState, scopes: readonly string[]): ExplainedStep[] {
  return [
    statusStep(key, at),
    ...(key.type === "publishable" ? [oidcStep(key)] : []),
    limitStep(limit),
    ...scopes.map((scope) => scopeStep(key, scope)),
  ];
}

function statusStep(key: KeyRecord, at: Date): ExplainedStep {
  const status = keyStatus(key, at);
  if (status === "active") return { name: "status", denial: null, detail: "The key is active." };
  const denial = `api_key_${status}` as const;
  return { name: "status", denial, detail: DENIALS[denial].sentence };
}

function oidcStep({ oidc }: KeyRecord): ExplainedStep {
  return oidc === null || !isCompleteOidc(oidc)
    ? {
        name: "oidc",
        denial: "misconfigured_publishable_key",
        detail: DENIALS.misconfigured_publishable_key.sentence,
      }
    : { name: "oidc", denial: null, detail: `Users' tokens must come from ${oidc.issuer} for ${oidc.audience}.` };
}

function limitStep({ limit, remaining, resetAt }: LimitState): ExplainedStep {
  const told = `${remaining} of ${limit} requests remain until ${resetAt.toISOString()}.`;
  return { name: "rate_limit", denial: remaining > 0 ? null : "rate_limited", detail: told };
}

function scopeStep(key: KeyRecord, scope: string): ExplainedStep {
  const may = key.type === "secret" ? anyGrants : publishableMay;
  return may(key.permissions, scope)
    ? { name: "scope", denial: null, detail: `The key's permissions grant ${scope}.` }
    : { name: "scope", denial: "insufficient_scope", detail: `The key's permissions do not grant ${scope}.` };
}
