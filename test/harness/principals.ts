import type { DashboardUser } from "../../src/domain/access/principal.ts";
import { NO_RIGHTS } from "../../src/domain/access/scopes.ts";

/** A dashboard user of `ten_1` without rights. */
export function dashboardUser(fields: Partial<DashboardUser> = {}): DashboardUser {
  return {
    kind: "dashboard_user",
    issuer: "https://login.example",
    userId: "user-1",
    verifiedEmail: null,
    tenantId: "ten_1",
    memberRole: null,
    rights: NO_RIGHTS,
    ...fields,
  };
}
