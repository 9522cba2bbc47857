import type { TenantStates } from "../../domain/ports/tenants.ts";
import { rememberSubjects, tenantSubject } from "../subjects.ts";
import type { RecordCache } from "./record-cache.ts";
import { shareReads } from "./shared-reads.ts";

/** The states of tenants from the cache, which is filled from `tenants`. */
export function cacheTenants(cache: Pick<RecordCache, "find">, tenants: TenantStates): TenantStates {
  const subjectOf = rememberSubjects(tenantSubject);
  const read = shareReads((tenantId) => tenants.findTenant(tenantId));
  return {
    async findTenant(tenantId) {
      const state = await cache.find(subjectOf(tenantId), () => read(tenantId));
      if (state === undefined) throw new Error("every tenant has a state");
      return state;
    },
  };
}
