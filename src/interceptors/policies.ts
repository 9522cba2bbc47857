import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { Caller, type Policy as PolicyOption, policy as policyOption } from "../../gen/latchkey/v1/policy_pb.ts";
import { createCatalogue } from "../domain/access/catalogue.ts";
import type { Policy } from "../domain/access/policy.ts";
import type { CallerKind } from "../domain/access/principal.ts";

/** All options of an RPC in the proto. */
export interface MethodPolicy extends Policy {
  /** The path of its `google.api.http` annotation. */
  readonly path: string;
  readonly ignoreUnknownMembers: boolean;
  readonly noStore: boolean;
  /** The action of its changes in the audit trail; null: it has none. */
  readonly auditAction: string | null;
}

/** The policies of all methods, loaded once at start. */
export type Policies = ReadonlyMap<DescMethod, MethodPolicy>;

const CALLER_KINDS = new Map<Caller, CallerKind>([
  [Caller.DASHBOARD_USER, "dashboard_user"],
  [Caller.SECRET_KEY, "secret_key"],
  [Caller.PUBLISHABLE_KEY, "publishable_key"],
  [Caller.OPERATOR, "operator"],
  [Caller.ANYONE, "anonymous"],
]);

/** The protos ask only for built-in scopes. */
const BUILT_IN = createCatalogue();

/** Reads every method's policy. Throws if one is incomplete, so that the process does not start and serve it unprotected. */
export function loadPolicies(services: readonly DescService[]): Policies {
  return new Map(services.flatMap((service) => service.methods.map((method) => [method, methodPolicy(method)])));
}

export function policyOf(policies: Policies, method: DescMethod): MethodPolicy {
  const policy = policies.get(method);
  if (policy === undefined) throw new Error(`no policy was loaded for ${method.parent.typeName}/${method.name}`);
  return policy;
}

/** The policies by the names that recent requests have. */
export function policiesByName(policies: Policies): ReadonlyMap<string, Policy> {
  return new Map([...policies].map(([{ parent, name }, policy]) => [`${parent.typeName}/${name}`, policy]));
}

function methodPolicy(method: DescMethod): MethodPolicy {
  const name = `${method.parent.typeName}/${method.name}`;
  if (!hasOption(method, policyOption)) throw new Error(`${name} declares no (latchkey.v1.policy)`);
  const policy = getOption(method, policyOption);
  const rule = getOption(method, http);
  if (rule.pattern.case !== "post" || rule.body !== "*") throw new Error(`${name} declares no post path with body "*"`);
  if (policy.callers.length === 0) throw new Error(`${name} admits no caller`);
  if (policy.callers.includes(Caller.ANYONE) && (policy.callers.length > 1 || policy.scope !== ""))
    throw new Error(`${name} admits anyone, and so can name no other caller and no scope`);
  if (policy.scope !== "" && !BUILT_IN.isAction(policy.scope))
    throw new Error(`${name} asks for the unknown scope ${policy.scope}`);
  return {
    callers: new Set(policy.callers.map((caller) => callerKind(caller, name))),
    scope: policy.scope === "" ? null : policy.scope,
    userScope: userScopeOf(policy, name),
    tenantOptional: policy.tenantOptional,
    tokens: tokensOf(policy, name),
    formerMembers: formerMembersOf(policy, name),
    path: rule.pattern.value,
    ignoreUnknownMembers: policy.ignoreUnknownMembers,
    noStore: policy.noStore,
    auditAction: policy.auditAction === "" ? null : policy.auditAction,
  };
}

/** Tokens stand for secret keys. */
function tokensOf({ callers, tokens }: PolicyOption, name: string): boolean {
  if (tokens && !callers.includes(Caller.SECRET_KEY))
    throw new Error(`${name} admits access tokens, and so must admit secret keys`);
  return tokens;
}

/** A former member has no tenant, so an RPC that admits them needs none. */
function formerMembersOf({ formerMembers, tenantOptional }: PolicyOption, name: string): boolean {
  if (formerMembers && !tenantOptional)
    throw new Error(`${name} admits former members, and so must make the tenant optional`);
  return formerMembers;
}

/** An RPC that users may call says which scope they need, or why they need none. */
function userScopeOf({ callers, userScope, userScopeWaiver }: PolicyOption, name: string): string | null {
  if (!callers.includes(Caller.DASHBOARD_USER)) {
    if (userScope + userScopeWaiver !== "") throw new Error(`${name} has a user scope or a waiver, but admits no user`);
    return null;
  }
  if ((userScope === "") === (userScopeWaiver === ""))
    throw new Error(
      `${name} must have either the scope that dashboard users need or a waiver that says why they need none`,
    );
  if (userScope === "") return null;
  if (userScope === "*" || !BUILT_IN.isGrantable(userScope))
    throw new Error(`${name} asks users for the unknown scope ${userScope}`);
  return userScope;
}

function callerKind(caller: Caller, name: string): CallerKind {
  const kind = CALLER_KINDS.get(caller);
  if (kind === undefined) throw new Error(`${name} admits an unknown caller (${caller})`);
  return kind;
}
