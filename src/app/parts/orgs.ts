import { OrgService } from "../../../gen/latchkey/v1/org_service_pb.ts";
import { areTenantsAdopted } from "../../config/dashboard.ts";
import { createOrgService } from "../../services/org-service.ts";
import type { Part, PartContext, PartEndpoints } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Organizations and their members. */
export function openOrgs(ctx: PartContext): Part {
  const { config, clock, storage, access } = ctx;
  const { authority } = access;
  const service = createOrgService({
    orgs: storage.orgs,
    calls: storage.calls,
    authority,
    clock,
    areTenantsAdopted: areTenantsAdopted(config),
    rolesInTokens: authority.readsRoles && !config.rolesFromMembership,
  });
  return { services: [mounted(OrgService, service)], endpoints: { identityClaims: loginHook(ctx) } };
}

/** The identity provider asks for a user's memberships when it makes a token. */
function loginHook({ config, secrets, clock, storage }: PartContext): PartEndpoints["identityClaims"] {
  const { dashboard, identityHookSecrets } = config;
  if (dashboard === null || identityHookSecrets.length === 0) return undefined;
  return {
    memberships: storage.orgs,
    clock,
    issuer: dashboard.expectation.issuer,
    matchSecret: secrets.matchHookSecret,
    secrets: () => secrets.now.identityHookSecrets,
  };
}
