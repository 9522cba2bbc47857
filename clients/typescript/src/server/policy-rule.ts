import type { DescMethod } from "@bufbuild/protobuf";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { isWildcard, type MethodPolicy, methodPolicy, nameOf } from "../policy/method-policy.ts";
import { presentsAccessToken } from "./bearer-token.ts";
import type { VerifiedCaller } from "./caller.ts";
import { checkedScopes } from "./scopes.ts";
import type { Question } from "./verdict.ts";

export type Kind = VerifiedCaller["kind"];

/** What headers present. An access token of Latchkey's own stands for a secret key. */
export type Presented = Kind | "access_token";

/**
 * A policy, and what Verify is asked about dashboard users. Verify takes no wildcard: one scope of its domain shows whether
 * the user's own wildcards reach that domain, and `permissions` shows these.
 */
export interface Rule extends MethodPolicy {
  readonly userScopes: readonly string[];
}

const CALLERS: Record<Presented, Caller> = {
  access_token: Caller.SECRET_KEY,
  dashboard_user: Caller.DASHBOARD_USER,
  secret_key: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
};

/** The rule of an RPC. Throws a `TypeError` for a policy by which no call could be decided. */
export function ruleOf(method: DescMethod, known: readonly string[]): Rule {
  const policy = methodPolicy(method);
  if (policy.callers.includes(Caller.OPERATOR))
    throw new TypeError(`${nameOf(method)} admits the operator, whose token is only for Latchkey's own RPCs`);
  const userScopes = isWildcard(policy.userScope)
    ? known.filter((scope) => scope.startsWith(policy.userScope.slice(0, -1))).slice(0, 1)
    : scopesOf(policy.userScope);
  try {
    checkedScopes([...scopesOf(policy.scope), ...userScopes], known);
    if (policy.userScope !== "" && userScopes.length === 0)
      throw new TypeError(
        `no known scope is in ${policy.userScope}; name those of Latchkey's SCOPES_FILE in ownScopes`,
      );
  } catch (err) {
    throw new TypeError(`${nameOf(method)}: ${err instanceof Error ? err.message : err}`);
  }
  return { ...policy, userScopes };
}

function scopesOf(scope: string): readonly string[] {
  return scope === "" ? [] : [scope];
}

/**
 * What the headers present. Latchkey decides by the same: a request with an API key is its key's, and a key's type is in
 * its first letters. Of a token only the form is looked at here: the verdict names the kind of its caller.
 */
export function presentedBy(headers: Headers): Presented {
  const key = headers.get("X-API-Key");
  if (key === null) return presentsAccessToken(headers) ? "access_token" : "dashboard_user";
  return key.startsWith("pk_") ? "publishable_key" : "secret_key";
}

/** The kind of caller that an admitted request must have. */
export function kindOf(presented: Presented): Kind {
  return presented === "access_token" ? "secret_key" : presented;
}

/**
 * One question for one request of the limit. A kind that may not call, and a token that may not, is asked about without scopes and
 * tenant: bad credentials are denied as such, and all else by the kind, as in Latchkey's gate.
 */
export function ruleQuestion(rule: Rule, kind: Presented): Question {
  const isToken = kind === "access_token";
  if (!admits(rule, kind) || (isToken && !admitsTokens(rule)))
    return { scopes: [], cost: undefined, tenantOptional: true };
  return { scopes: scopesFor(rule, kind), cost: undefined, tenantOptional: rule.tenantOptional };
}

/** The question to Verify about a caller of this kind. */
export function scopesFor(rule: Rule, kind: Presented): readonly string[] {
  return kind === "dashboard_user" ? rule.userScopes : scopesOf(rule.scope);
}

export function admits(rule: Rule, kind: Presented): boolean {
  return rule.callers.includes(CALLERS[kind]);
}

/** The wildcard that a user lacks who has the scope of it that Verify was asked for. */
export function lackedWildcard(
  { userScope }: Rule,
  { kind, permissions }: Pick<VerifiedCaller, "kind" | "permissions">,
): string | undefined {
  if (kind !== "dashboard_user" || !isWildcard(userScope)) return undefined;
  return permissions.includes("*") || permissions.includes(userScope) ? undefined : userScope;
}

/** Why a kind of caller that the RPC does not admit is denied. */
export function wrongKindMessage(kind: Presented, callers: readonly Caller[]): string {
  const admitsUsers = callers.includes(Caller.DASHBOARD_USER);
  if (kind === "dashboard_user") return "A dashboard user cannot do this, whatever their roles; call with an API key.";
  if (kind === "publishable_key" && callers.includes(Caller.SECRET_KEY)) {
    const orUser = admitsUsers ? ", or with a dashboard user's token and without X-API-Key" : "";
    const remedy = `call with a secret key, from a server${orUser}`;
    return `A publishable key cannot do this, whatever its scopes; ${remedy}.`;
  }
  if (kind === "access_token") {
    const remedy = admitsUsers ? "a dashboard user's token" : "a publishable key";
    return `An access token cannot do this, whatever its scopes; call with ${remedy}.`;
  }
  const remedy = admitsUsers
    ? "call with a dashboard user's token and without X-API-Key"
    : "call with a publishable key";
  const subject = admitsUsers ? "An API key" : "A secret key";
  return `${subject} cannot do this, whatever its scopes; ${remedy}.`;
}

/** Whether an access token may call. Anyone may call what is open to anyone. */
export function admitsTokens({ tokens, callers }: Rule): boolean {
  return tokens || callers.includes(Caller.ANYONE);
}

/** Why a token is denied where the policy does not admit it. */
export function tokenNotAllowedMessage(callers: readonly Caller[]): string {
  const remedy = callers.includes(Caller.SECRET_KEY)
    ? "call with the API key itself"
    : "call with a dashboard user's token";
  return `An access token cannot do this, whatever its scopes; ${remedy}.`;
}

export function lackedMessage(scope: string): string {
  return `This user lacks the scope ${scope}; have an administrator give them a role that has all of it.`;
}
