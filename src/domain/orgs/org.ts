/** A customer of the platform. It owns one tenant. */
export interface Organization {
  readonly orgId: string;
  readonly tenantId: string;
  readonly name: string;
  /** The dashboard user who created it: `sub` of their token. */
  readonly ownerUserId: string;
  readonly createdAt: Date;
}
