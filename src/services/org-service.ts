import type { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { type CreateOrgContext, createOrg } from "../domain/orgs/create.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { dashboardUser } from "./callers.ts";
import { toTimestamp } from "./dates.ts";

export function createOrgService(ctx: CreateOrgContext): UnaryImpl<typeof OrgService> {
  return {
    async createOrg(req, context) {
      const org = await createOrg(ctx, { name: req.name, ownerUserId: dashboardUser(context).userId });
      const { orgId, tenantId, name } = org;
      return { result: { orgId, tenantId, name, createdAt: toTimestamp(org.createdAt) } };
    },
  };
}
