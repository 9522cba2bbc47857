import type { DescMethod } from "@bufbuild/protobuf";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { isWildcard, type MethodPolicy, methodPolicy, nameOf } from "./method-policy.ts";

/** The kinds of caller that a proxy distinguishes by `X-API-Key`: its first letters, or its absence. */
export const KINDS = ["publishable_key", "secret_key", "dashboard_user"] as const;
export type Kind = (typeof KINDS)[number];

/** What a proxy does with the calls of an RPC from callers of one kind. */
export type ProxyCheck =
  /** Asks `/auth/check` with this scope; without one, only for a valid caller. */
  { readonly kind: "ask"; readonly scope: string | undefined } | { readonly kind: "refuse" };

/** What a proxy does with the calls of an RPC. */
export interface ProxyRule {
  /** `/acme.v1.PlanService/GetPlan`: where Connect, gRPC and gRPC-Web find it. */
  readonly path: string;
  /** Undefined: anyone may call, and nothing is asked. */
  readonly checks: Readonly<Record<Kind, ProxyCheck>> | undefined;
  /** Callers that the policy admits, and that no question to `/auth/check` can admit. */
  readonly stricter: readonly string[];
}

const CALLERS: Record<Kind, Caller> = {
  dashboard_user: Caller.DASHBOARD_USER,
  secret_key: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
};

/** Throws a `TypeError` for an RPC whose policy cannot be checked. */
export function proxyRule(method: DescMethod): ProxyRule {
  const policy = methodPolicy(method);
  if (policy.callers.includes(Caller.OPERATOR))
    throw new TypeError(`${nameOf(method)} admits the operator, whose token is only for Latchkey's own RPCs`);
  const path = `/${nameOf(method)}`;
  if (policy.callers.includes(Caller.ANYONE)) return { path, checks: undefined, stricter: [] };
  const [publishable_key, secret_key, dashboard_user] = KINDS.map((kind) => checkOf(policy, kind)) as [
    ProxyCheck,
    ProxyCheck,
    ProxyCheck,
  ];
  return { path, checks: { publishable_key, secret_key, dashboard_user }, stricter: stricterOf(policy) };
}

/** The query of the check, or undefined where the caller is refused without one. */
export function queryOf(check: ProxyCheck): string | undefined {
  if (check.kind === "refuse") return undefined;
  return check.scope === undefined ? "" : `scope=${check.scope}`;
}

/** The answer to a refused caller, as Latchkey would say it. */
export const REFUSAL = JSON.stringify({
  code: "permission_denied",
  message: "Callers of this kind cannot do this, whatever their scopes.",
  denial_reason: "insufficient_scope",
});

function checkOf({ callers, scope, userScope }: MethodPolicy, kind: Kind): ProxyCheck {
  const needed = kind === "dashboard_user" ? userScope : scope;
  if (!callers.includes(CALLERS[kind]) || isWildcard(needed)) return { kind: "refuse" };
  return { kind: "ask", scope: needed === "" ? undefined : needed };
}

function stricterOf({ callers, userScope, tenantOptional }: MethodPolicy): readonly string[] {
  if (!callers.includes(Caller.DASHBOARD_USER)) return [];
  const found: string[] = [];
  if (isWildcard(userScope)) found.push(`dashboard users with ${userScope}`);
  else if (tenantOptional) found.push("dashboard users without a tenant");
  return found;
}
