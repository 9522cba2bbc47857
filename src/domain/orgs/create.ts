import { newId } from "../ids.ts";
import { checkedName } from "../name.ts";
import type { OrgStore } from "../ports/orgs.ts";
import { RequestFault } from "../request-fault.ts";
import type { Organization } from "./org.ts";

export interface CreateOrgContext {
  readonly orgs: OrgStore;
  /** Whether tenants are the identity provider's own organizations: a new one would be in nobody's token. */
  readonly areTenantsAdopted: boolean;
}

/** Creates an organization with a tenant of its own; the caller is its owner. */
export async function createOrg(
  ctx: CreateOrgContext,
  command: { readonly name: string; readonly ownerUserId: string },
): Promise<Organization> {
  if (ctx.areTenantsAdopted) {
    throw new RequestFault(
      "failed_precondition",
      "the organizations of the identity provider are the tenants here; create one there, and sign in to it",
    );
  }
  return ctx.orgs.insertOrg({
    orgId: newId("org"),
    tenantId: newId("ten"),
    name: checkedName(command.name),
    ownerUserId: command.ownerUserId,
  });
}
