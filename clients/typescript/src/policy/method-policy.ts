import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { Caller, type Policy, policy as policyOption } from "../gen/latchkey/v1/policy_pb.ts";

/** Who may call an RPC, as its `(latchkey.v1.policy)` says. */
export type MethodPolicy = Pick<Policy, "callers" | "scope" | "userScope" | "tenantOptional" | "tokens">;

/** One `domain:action`, and one whole domain. */
const ACTION = /^[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}$/;
const WILDCARD = /^[a-z][a-z0-9_-]{0,62}:\*$/;

/** As in messages, and as reflection and logs name it: `acme.v1.PlanService/GetPlan`. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** The RPC's policy as it is written. Undefined: it has none. */
export function writtenPolicy(method: DescMethod): Policy | undefined {
  return hasOption(method, policyOption) ? getOption(method, policyOption) : undefined;
}

/**
 * The policy of an RPC. Throws a `TypeError` with the RPC's name if it is absent, incomplete or contradicts
 * itself, by the rules by which Latchkey refuses to start.
 */
export function methodPolicy(method: DescMethod): MethodPolicy {
  const policy = writtenPolicy(method);
  const problem = policy === undefined ? "declares no (latchkey.v1.policy)" : problemOf(policy);
  if (policy === undefined || problem !== undefined) throw new TypeError(`${nameOf(method)} ${problem}`);
  const { callers, scope, userScope, tenantOptional, tokens } = policy;
  return { callers, scope, userScope, tenantOptional, tokens };
}

/** Whether a text stands for one whole domain: `plans:*`. */
export function isWildcard(scope: string): boolean {
  return WILDCARD.test(scope);
}

function problemOf(policy: Policy): string | undefined {
  const { callers, scope, userScope, userScopeWaiver, tokens } = policy;
  if (callers.length === 0) return "admits no caller";
  const unknown = callers.find((caller) => caller === Caller.UNSPECIFIED || !isCaller(caller));
  if (unknown !== undefined) return `admits an unknown caller (${unknown})`;
  if (callers.includes(Caller.ANYONE) && (callers.length > 1 || scope !== ""))
    return "admits anyone, and so can name no other caller and no scope";
  if (tokens && !callers.includes(Caller.SECRET_KEY)) return "admits access tokens, and so must admit secret keys";
  if (scope !== "" && !ACTION.test(scope)) return `asks for "${scope}", which is not a scope "domain:action"`;
  if (!callers.includes(Caller.DASHBOARD_USER))
    return userScope + userScopeWaiver === "" ? undefined : "has a user scope or a waiver, but admits no user";
  if ((userScope === "") === (userScopeWaiver === ""))
    return "must have either the scope that dashboard users need or a waiver that says why they need none";
  if (userScope === "" || ACTION.test(userScope) || isWildcard(userScope)) return undefined;
  return `asks users for "${userScope}", which is neither a scope "domain:action" nor a wildcard "domain:*"`;
}

function isCaller(caller: number): boolean {
  return Object.values(Caller).some((known) => known === caller);
}
