import type { DashboardUser } from "../access/principal.ts";
import type { Act } from "../audit/event.ts";
import { newId } from "../vocabulary/ids.ts";
import { checkedName } from "../vocabulary/name.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import type { Organization } from "./org.ts";
import type { OrgStore } from "./org-store.ts";

export interface CreateOrgContext {
  readonly orgs: Pick<OrgStore, "createOrg">;
  /** Whether tenants are the identity provider's own organizations: a new one would be in no user's token. */
  readonly areTenantsAdopted: boolean;
}

/**
 * Creates an organization with a tenant of its own; the caller is its owner, and it is their current one. With
 * `clientOrgId` a repeated call returns the first one's organization.
 */
export async function createOrg(
  ctx: CreateOrgContext,
  creator: DashboardUser,
  command: { readonly name: string; readonly clientOrgId: string | null },
  act: Act,
): Promise<Organization> {
  if (ctx.areTenantsAdopted) {
    throw new RequestFault(
      "organizations_at_provider",
      "the organizations of the identity provider are the tenants here; create one there, and sign in to it",
    );
  }
  const name = checkedName(command.name);
  const drawn = { orgId: newId("org"), tenantId: newId("ten"), name };
  const org = await ctx.orgs.createOrg(drawn, creator, creator.verifiedEmail ?? "", command.clientOrgId, act);
  if (org.name !== name) {
    throw faultOf(
      "client_org_id_reused",
      "client_org_id",
      "you have created an organization of another name with it; use another client_org_id",
    );
  }
  return org;
}
