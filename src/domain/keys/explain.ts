import type { Admission, PresentedKey } from "../access/admission.ts";
import type { Authority } from "../access/authority.ts";
import { requireScope, requireTenant } from "../access/authorize.ts";
import { CHECKS, type CheckName, type NamedCheck } from "../access/checks.ts";
import { Facts } from "../access/facts.ts";
import type { LookedUp } from "../access/found.ts";
import type { Principal } from "../access/principal.ts";
import { type Question, requireActions } from "../access/verify.ts";
import type { KeyRecord } from "../credentials/key.ts";
import type { LimitState } from "../limits/decision.ts";
import { assessKeySet, type KeySetReport } from "../tokens/key-set-report.ts";
import type { TokenVerifier } from "../tokens/token-verifier.ts";
import { Denial, type DenialReason } from "../vocabulary/denial.ts";
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
  readonly name: CheckName;
  readonly denial: DenialReason | null;
  readonly detail: string;
}

/**
 * Looks up a key and, for a publishable key, its key set, as for a request with the key, but spends nothing. For dashboard
 * users with `api_keys:read` and the keys of their tenant. `ctx` undefined: this process, an edge, has no such callers.
 */
export async function explainKey(
  ctx: ExplainContext | undefined,
  principal: Principal,
  keyId: string,
  { scopes, cost }: Pick<Question, "scopes"> & { readonly cost: number },
): Promise<Explanation> {
  if (ctx === undefined || principal.kind !== "dashboard_user") {
    throw new Denial("insufficient_scope", {
      message: "explain is for dashboard users; call with only a user token.",
    });
  }
  const { keys, admission, authority } = ctx;
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
  const looked = { limit, keySet, authority };
  const factsFor = (scope: string | null) => factsOf(presented, looked, cost, scope);
  const steps = CHECKS.flatMap((check) =>
    check.isOfScope
      ? scopes.map(([, scope]) => stepOf(check, factsFor(scope), looked))
      : stepOf(check, factsFor(null), looked),
  ).filter((step) => step !== undefined);
  return { denial: steps.find(({ denial }) => denial !== null)?.denial ?? null, steps, limit, keySet };
}

/** A check after a failed one is included, since it shows the next problem; one that has nothing to say of the key is not. */
function stepOf(check: NamedCheck, facts: Facts, looked: LookedUp & { readonly authority: Authority }) {
  const detail = check.applies(facts) ? (check.found?.(facts, looked) ?? "") : "";
  if (detail === "") return undefined;
  return { name: check.name, denial: check.run(facts, looked.authority)?.reason ?? null, detail };
}

/** Of a request with the key, as far as they are known without one. */
function factsOf(presented: PresentedKey, looked: LookedUp, cost: number, scope: string | null): Facts {
  const { key } = presented;
  const facts = new Facts(undefined, { ...ANY_RPC, scope });
  facts.presented = presented;
  facts.caller = key.type === "secret" ? "secret_key" : "publishable_key";
  facts.cost = cost;
  facts.limit = { kind: looked.limit.atOnce >= cost ? "allow" : "deny", ...looked.limit, retryAfterSeconds: 1 };
  const caller = { key, tenantId: key.tenantId, rights: looked.authority.rightsOfKey(key) };
  if (key.type === "secret") facts.principal = { kind: "secret_key", ...caller, onBehalfOf: null };
  else {
    facts.principal = { kind: "publishable_key", ...caller, userId: "" };
    const denial = looked.keySet === undefined ? "misconfigured_publishable_key" : assessKeySet(looked.keySet).denial;
    if (denial !== null) facts.userRefusal = new Denial(denial);
  }
  facts.impersonation = facts.principal;
  return facts;
}

const ANY_RPC = {
  callers: new Set(["secret_key", "publishable_key"] as const),
  userScope: null,
  tenantOptional: false,
  formerMembers: false,
  tokens: true,
};

async function keySetOf(
  { tokens, isUsableOidc }: ExplainContext,
  { type, tenantId, oidc }: KeyRecord,
): Promise<KeySetReport | undefined> {
  if (type !== "publishable" || !isUsableOidc(oidc)) return undefined;
  return tokens.inspectKeySet(keySourceOf(tenantId, oidc));
}
