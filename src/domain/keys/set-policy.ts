import type { Catalogue } from "../access/catalogue.ts";
import { unknownScope } from "../access/verify.ts";
import type { Act } from "../audit/event.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import { type KeyPolicy, keysMaxOf } from "./key-policy.ts";
import type { KeyPolicies } from "./policy-store.ts";

export interface SetPolicyContext {
  readonly policies: KeyPolicies;
  readonly catalogue: Catalogue;
  /** Maximum number of usable keys of any tenant, as the operator allows. */
  readonly tenantKeysMax: number;
}

/** The tenant's rules, with the number of keys that binds. */
export async function getPolicy({ policies, tenantKeysMax }: SetPolicyContext, tenantId: string): Promise<KeyPolicy> {
  const policy = await policies.readPolicy(tenantId);
  return { ...policy, keysMax: keysMaxOf(policy, tenantKeysMax) };
}

/** Replaces the tenant's rules. Throws `RequestFault` for rules that no key could keep, and for more keys than the operator allows. */
export async function setPolicy(
  ctx: SetPolicyContext,
  tenantId: string,
  given: KeyPolicy,
  act: Act,
): Promise<KeyPolicy> {
  if (given.keysMax > ctx.tenantKeysMax)
    throw invalid("policy.max_keys", `must be at most ${ctx.tenantKeysMax}, which is as many as the operator allows`);
  for (const [index, scope] of given.permissions.entries()) {
    if (!ctx.catalogue.isGrantable(scope))
      throw unknownScope(`policy.permissions[${index}]`, ctx.catalogue.nearestScope(scope, "secret"));
  }
  const policy = { ...given, permissions: [...new Set(given.permissions)] };
  await ctx.policies.writePolicy(tenantId, policy, act);
  return { ...policy, keysMax: keysMaxOf(policy, ctx.tenantKeysMax) };
}
