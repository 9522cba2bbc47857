import type { Act } from "../audit/event.ts";
import { isIdentifier } from "../tokens/identifier-claim.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import type { Tenant } from "./tenant.ts";
import type { TenantStore } from "./tenant-store.ts";

export interface SuspendContext {
  readonly tenants: Pick<TenantStore, "setSuspension">;
  readonly operatorTenant: string | null;
}

/** Refuses all requests of a tenant's keys and users until it is resumed. */
export async function suspendTenant(ctx: SuspendContext, tenantId: string, reason: string, act: Act): Promise<Tenant> {
  checkedTenantId(tenantId);
  if (tenantId === ctx.operatorTenant) {
    throw faultOf("operator_tenant", "tenant_id", "is the operator's own tenant, which cannot be suspended");
  }
  return ctx.tenants.setSuspension(tenantId, reason, act);
}

export async function resumeTenant({ tenants }: SuspendContext, tenantId: string, act: Act): Promise<Tenant> {
  return tenants.setSuspension(checkedTenantId(tenantId), null, act);
}

/** The id of a tenant, as a claim of a token may hold it. The proto bounds its length. */
export function checkedTenantId(tenantId: string): string {
  if (isIdentifier(tenantId)) return tenantId;
  throw invalid("tenant_id", "must be 1 to 256 characters, containing a visible character and no control characters");
}
