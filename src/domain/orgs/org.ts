/** A customer of the platform. It owns one tenant. */
export interface Organization extends NewOrganization {
  readonly createdAt: Date;
}

/** An organization to store. The storage sets `createdAt`. */
export interface NewOrganization {
  readonly orgId: string;
  readonly tenantId: string;
  readonly name: string;
  /** The dashboard user who created it: `sub` of their token. */
  readonly ownerUserId: string;
}
