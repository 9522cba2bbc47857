import { unknownTenant } from "../erasures/erase.ts";
import { checkedTenantId } from "./suspend.ts";
import type { Tenant } from "./tenant.ts";
import type { TenantStore } from "./tenant-store.ts";

/** A tenant that the list of tenants has. Throws `unknownTenant`. */
export async function getTenant(tenants: Pick<TenantStore, "getTenant">, tenantId: string): Promise<Tenant> {
  const tenant = await tenants.getTenant(checkedTenantId(tenantId));
  if (tenant === undefined) throw unknownTenant();
  return tenant;
}
