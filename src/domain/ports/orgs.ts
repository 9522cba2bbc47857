import type { NewOrganization, Organization } from "../orgs/org.ts";

/** Stores organizations. Timestamps come from the storage's clock. May throw `StoreUnavailable`. */
export interface OrgStore {
  /** Stores the organization, its tenant and the owner in one transaction. */
  insertOrg(org: NewOrganization): Promise<Organization>;
}
