/** What decides about every request of a tenant. */
export interface TenantState {
  readonly isSuspended: boolean;
}

/** A tenant as the operator sees it. */
export interface Tenant {
  readonly tenantId: string;
  /** Of its organization. Empty: it has none here. */
  readonly name: string;
  /** Of every status. */
  readonly keyCount: number;
  /** Null: it is not suspended. */
  readonly suspension: Suspension | null;
}

export interface Suspension {
  readonly suspendedAt: Date;
  /** The operator's own words. Empty: none. */
  readonly reason: string;
}
