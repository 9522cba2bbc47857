import { newId } from "../ids.ts";
import type { Clock, OrgStore } from "../ports.ts";
import { invalid } from "../request-fault.ts";
import type { Organization } from "./org.ts";

const NAME_CHARS_MAX = 128;

/** Creates an organization with a tenant of its own; the caller is its owner. */
export async function createOrg(
  ctx: { readonly orgs: OrgStore; readonly clock: Clock },
  command: { readonly name: string; readonly ownerUserId: string },
): Promise<Organization> {
  if (command.name.trim() === "") throw invalid("name", `is required: 1 to ${NAME_CHARS_MAX} characters, not blank`);
  const org: Organization = {
    orgId: newId("org"),
    tenantId: newId("ten"),
    name: command.name,
    ownerUserId: command.ownerUserId,
    createdAt: ctx.clock(),
  };
  await ctx.orgs.insertOrg(org);
  return org;
}
