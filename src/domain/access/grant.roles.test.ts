import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { createAuthority } from "./authority.ts";
import { requireRole } from "./grant.ts";

const ROLES = { staff: ["org:*", "users:read"], reader: ["users:read"], empty: [], ops: ["system:*", "users:read"] };
const authority = createAuthority(accessRules({ roles: ROLES, operatorTenant: "ten_op" }));

function give(role: string, from: string, tenantId = "ten_1"): string {
  const caller = dashboardUser({ tenantId, rights: authority.rightsOfRole(from, tenantId) });
  try {
    requireRole(authority, caller, tenantId, role);
    return "given";
  } catch (err) {
    return String(err);
  }
}

describe("a role", () => {
  test.each([
    ["owner", "owner"],
    ["owner", "admin"],
    ["viewer", "admin"],
    ["developer", "owner"],
    ["staff", "staff"],
    ["reader", "staff"],
    ["reader", "developer"],
    ["empty", "viewer"],
  ])("%s is given by one who has %s", (role, from) => expect(give(role, from)).toBe("given"));

  test.each([
    ["owner", "developer", "*"],
    ["admin", "staff", "*"],
    ["developer", "viewer", "api_keys:*"],
    ["staff", "viewer", "org:*"],
    ["viewer", "staff", "conversations:read"],
  ])("%s is not given by one who has %s, since it lacks %s", (role, from, scope) => {
    expect(give(role, from)).toContain(`you cannot give the role ${role}, because you do not have its scope ${scope};`);
    const caller = dashboardUser({ tenantId: "ten_1", rights: authority.rightsOfRole(from, "ten_1") });
    // For the log's line.
    expect(() => requireRole(authority, caller, "ten_1", role)).toThrow(expect.objectContaining({ scope }));
  });

  test("with reserved scopes is given in the operator's tenant by those who have them, and grants them nowhere else", () => {
    expect(give("ops", "owner", "ten_op")).toBe("given");
    expect(give("ops", "reader", "ten_op")).toContain("its scope system:*");
    expect(give("ops", "reader", "ten_1")).toBe("given");
    expect(authority.rightsOfRole("ops", "ten_1").scopes).toEqual(["users:read"]);
  });

  test("that does not exist is named with those that do", () => {
    for (const role of ["superuser", "Owner", "__proto__", ""]) {
      expect(give(role, "owner")).toContain(
        `"${role}" is not a role; it must be one of owner, admin, developer, viewer, staff, reader, empty, ops`,
      );
    }
  });
});
