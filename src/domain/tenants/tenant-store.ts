import type { Act } from "../audit/event.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import type { Tenant, TenantState } from "./tenant.ts";

/** Reads what decides about the requests of a tenant. May throw `StoreUnavailable`. */
export interface TenantStates {
  /**
   * A change that was acknowledged before the call is always visible. A tenant of which nothing is stored is not suspended.
   */
  findTenant(tenantId: string): Awaitable<TenantState>;
}

/** Tenants at rest. Every method may throw `StoreUnavailable`. */
export interface TenantStore extends TenantStates {
  /**
   * Suspends a tenant, or resumes it with `reason` null. Resolves when that binds on every replica. Repeating it changes
   * nothing, but waits until all replicas are up to date. A tenant need not be known. Records `act` in the audit trail in
   * the same transaction.
   */
  setSuspension(tenantId: string, reason: string | null, act: Act): Promise<Tenant>;
  /** Undefined: it has no organization, key or suspension. */
  getTenant(tenantId: string): Promise<Tenant | undefined>;
  /** All tenants that have an organization, a key or a suspension; or the suspended ones. In the order of their ids. */
  listTenants(filter: { readonly onlySuspended: boolean }, page: PageRequest): Promise<Page<Tenant>>;
}
