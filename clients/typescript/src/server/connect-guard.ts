import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import { isWildcard, type MethodPolicy, methodPolicy, nameOf } from "../policy/method-policy.ts";
import { checkedHeadersOf, dropClaimsOf, forwardedFor } from "./auth-headers.ts";
import { putCaller, type VerifiedCaller } from "./caller.ts";
import { callerContext } from "./caller-context.ts";
import { lackedScope, refusalError, wrongKind } from "./connect-denial.ts";
import { checkedScopes } from "./scopes.ts";
import { type Question, unverifiedRefusal, type Verify } from "./verification.ts";

/** Which services a guard of Connect RPCs guards. */
export interface ConnectOptions {
  /**
   * The services whose RPCs it lets through, as protoc-gen-es describes them: `[PlanService]`. Their policies are checked
   * at once. An RPC of any other service is refused with code `internal`.
   */
  readonly services: readonly DescService[];
  /**
   * The client's IP address, for keys with `allowed_ips` and for Latchkey's log: what the platform says of the connection,
   * such as a context value that `contextValues` of `connectNodeAdapter` made from `req.socket.remoteAddress`, never a header that
   * clients can write. Default: not known, so that Latchkey sees the guarded service's own address.
   */
  readonly clientAddress?: ((req: UnaryRequest | StreamRequest) => string | null | undefined) | undefined;
}

type Kind = VerifiedCaller["kind"];

/**
 * A policy, and what Verify is asked about dashboard users. Verify takes no wildcard: one scope of its domain shows whether
 * the user's own wildcards reach that domain, and `permissions` shows these.
 */
interface Rule extends MethodPolicy {
  readonly userScopes: readonly string[];
}

const OPTIONS = namesOf<ConnectOptions>({ services: true, clientAddress: true });
const CALLERS: Record<Kind, Caller> = {
  dashboard_user: Caller.DASHBOARD_USER,
  secret_key: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
};

/** A Connect interceptor that decides on each RPC by its `(latchkey.v1.policy)`, as Latchkey's own gate does. */
export function guardConnect(verify: Verify, known: readonly string[], options: ConnectOptions): Interceptor {
  checkOptions(options, OPTIONS);
  const rules = rulesOf(options.services, known);
  return (next) => async (req) => {
    const rule = rules.get(req.method);
    if (rule === undefined) throw notChecked(req.method, verify.report);
    dropClaimsOf(req.header);
    if (rule.callers.includes(Caller.ANYONE)) return next(req);
    const presented = presentedKind(req.header);
    const address = options.clientAddress?.(req);
    const verdict = await verify(checkedHeadersOf(req.header), forwardedFor(address), questionOf(rule, presented));
    if (verdict.kind === "refused") throw refusalError(verdict.refusal);
    const { caller, limitHeaders } = verdict;
    if (caller.kind !== presented) {
      // The question was about the scopes of another kind.
      verify.report(
        new Error(`the answer is no verdict: it names a ${caller.kind} where the headers present a ${presented}`),
      );
      throw refusalError(unverifiedRefusal());
    }
    if (!admits(rule, presented)) throw wrongKind(presented, rule.callers, limitHeaders);
    const lacked = lackedScopeOf(rule, caller);
    if (lacked !== undefined) throw lackedScope(lacked, limitHeaders);
    req.contextValues.set(callerContext, { ...caller, tenantId: caller.tenantId || undefined });
    if (caller.tenantId !== "") putCaller(req.contextValues, caller);
    try {
      const res = await next(req);
      addTo(res.header, limitHeaders);
      return res;
    } catch (err) {
      if (err instanceof ConnectError) addTo(err.metadata, limitHeaders);
      throw err;
    }
  };
}

/** Throws a `TypeError` for a policy by which no call could be decided. */
function rulesOf(services: readonly DescService[], known: readonly string[]): ReadonlyMap<DescMethod, Rule> {
  const list: unknown = services;
  if (!Array.isArray(list) || list.length === 0)
    throw new TypeError("services must list at least one service, such as [PlanService]");
  return new Map(services.flatMap(({ methods }) => methods.map((method) => [method, ruleOf(method, known)] as const)));
}

function ruleOf(method: DescMethod, known: readonly string[]): Rule {
  const policy = methodPolicy(method);
  if (policy.callers.includes(Caller.OPERATOR))
    throw new TypeError(`${nameOf(method)} admits the operator, whose token is for Latchkey's own RPCs alone`);
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
 * its first letters.
 */
function presentedKind(headers: Headers): Kind {
  const key = headers.get("X-API-Key");
  if (key === null) return "dashboard_user";
  return key.startsWith("pk_") ? "publishable_key" : "secret_key";
}

/**
 * One question for one request of the limit. A kind that may not call is asked about without scopes and tenant: bad
 * credentials are denied as such, and all else by the kind, as in Latchkey's gate.
 */
function questionOf(rule: Rule, kind: Kind): Question {
  if (!admits(rule, kind)) return { scopes: [], cost: undefined, tenantOptional: true };
  const scopes = kind === "dashboard_user" ? rule.userScopes : scopesOf(rule.scope);
  return { scopes, cost: undefined, tenantOptional: rule.tenantOptional };
}

function admits(rule: Rule, kind: Kind): boolean {
  return rule.callers.includes(CALLERS[kind]);
}

/** The wildcard that a user lacks who has the scope of it that Verify was asked for. */
function lackedScopeOf({ userScope }: Rule, { kind, permissions }: VerifiedCaller): string | undefined {
  if (kind !== "dashboard_user" || !isWildcard(userScope)) return undefined;
  return permissions.includes("*") || permissions.includes(userScope) ? undefined : userScope;
}

function notChecked(method: DescMethod, report: Verify["report"]): ConnectError {
  const message = `${nameOf(method)} is of no service that guard.connect was given; list it there`;
  report(new Error(message));
  return new ConnectError(message, Code.Internal);
}

function addTo(headers: Headers, added: Headers): void {
  for (const [name, value] of added) headers.set(name, value);
}
