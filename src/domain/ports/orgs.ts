import type { NewOrganization, Organization } from "../orgs/org.ts";

/** Organizations at rest, by the clock of the storage. May throw `StoreUnavailable`. */
export interface OrgStore {
  /** Stores the organization, its tenant and the owner in one transaction. */
  insertOrg(org: NewOrganization): Promise<Organization>;
}
