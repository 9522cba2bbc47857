import type { Act } from "../audit/event.ts";
import { checkedTenantId } from "../tenants/suspend.ts";
import { isIdentifier } from "../tokens/identifier-claim.ts";
import { faultOf, invalid, type RequestFault } from "../vocabulary/request-fault.ts";
import type { Erasure, ErasureTarget, UserTarget } from "./erasure.ts";
import type { ErasureStore } from "./erasure-store.ts";

export interface EraseContext {
  readonly erasures: Pick<ErasureStore, "begin">;
  /** Has a worker begin at once, and resolves with the erasure when it is finished, or after some seconds. */
  readonly awaitErasure: (begun: Erasure, signal: AbortSignal) => Promise<Erasure>;
  readonly operatorTenant: string | null;
}

/** Removes what is stored of a user in one tenant. Users of an empty id are not users: their records are the tenant's. */
export async function eraseUser(
  ctx: EraseContext,
  user: Omit<UserTarget, "kind">,
  act: Act,
  signal: AbortSignal,
): Promise<Erasure> {
  checkedTenantId(user.tenantId);
  if (!isIdentifier(user.userId)) {
    throw invalid("user_id", "must be 1 to 256 characters, containing a visible character and no control characters");
  }
  return erase(ctx, { ...user, kind: "user" }, act, signal);
}

/** Removes all that is stored of a tenant, but what keeps its keys denied. */
export async function eraseTenant(
  ctx: EraseContext,
  tenantId: string,
  act: Act,
  signal: AbortSignal,
): Promise<Erasure> {
  checkedTenantId(tenantId);
  if (tenantId === ctx.operatorTenant) {
    throw faultOf("operator_tenant", "tenant_id", "is the operator's own tenant, which cannot be erased");
  }
  return erase(ctx, { kind: "tenant", tenantId }, act, signal);
}

async function erase(ctx: EraseContext, target: ErasureTarget, act: Act, signal: AbortSignal): Promise<Erasure> {
  return ctx.awaitErasure(await ctx.erasures.begin(target, act), signal);
}

/** For a tenant of which nothing is stored: the identifier is mistyped, and suspending it would not show that. */
export function unknownTenant(): RequestFault {
  return faultOf(
    "tenant_not_found",
    "tenant_id",
    "nothing is stored of such a tenant; tenants/list has those with keys and organizations, and tenants/suspend takes any",
  );
}

/** For a resumption that would let the tenant write while it is erased. */
export function beingErased(): RequestFault {
  return faultOf(
    "tenant_being_erased",
    "tenant_id",
    "the tenant is being erased; it can be resumed when tenants/erase returns finished: true",
  );
}
