import { newId } from "../ids.ts";
import { checkedName } from "../name.ts";
import type { OrgStore } from "../ports/orgs.ts";
import type { Organization } from "./org.ts";

/** Creates an organization with a tenant of its own; the caller is its owner. */
export async function createOrg(
  ctx: { readonly orgs: OrgStore },
  command: { readonly name: string; readonly ownerUserId: string },
): Promise<Organization> {
  return ctx.orgs.insertOrg({
    orgId: newId("org"),
    tenantId: newId("ten"),
    name: checkedName(command.name),
    ownerUserId: command.ownerUserId,
  });
}
