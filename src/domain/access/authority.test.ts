// promise: roles.claim, scopes.wildcards, scopes.removed, scopes.reserved
import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { createAuthority } from "./authority.ts";
import { mayUse } from "./scopes.ts";

const OWN = [
  { name: "reports:read", description: "Read reports.", publishable: true },
  { name: "reports:export", description: "Export reports.", publishable: false },
];

describe("the rights of a user", () => {
  const free = createAuthority(accessRules());
  const byRole = createAuthority(
    accessRules({ scopes: OWN, rolesClaim: "roles", roles: { support: ["users:read", "reports:*"], developer: [] } }),
  );

  test("are those of an admin where no claim of roles is configured, if they have a tenant", () => {
    expect(free.rightsOfUser({}, "ten_1")).toEqual({ scopes: ["*"], includeReserved: false });
    expect(free.rightsOfUser({ roles: ["viewer"] }, "ten_1").scopes).toEqual(["*"]);
    expect(free.rightsOfUser({}, null)).toEqual({ scopes: [], includeReserved: false });
  });

  test.each([
    ["an owner", ["owner"], ["*"]],
    ["an admin", "admin", ["*"]],
    ["a role of the file", "support", ["users:read", "reports:*"]],
    ["a built-in role that the file defines anew", "developer", []],
    ["several roles, without duplicates", "support, support owner", ["users:read", "reports:*", "*"]],
    ["an unknown role", "superuser", []],
    ["a role in another case", "Admin", []],
    ["a scope instead of a role", "users:read", []],
    ["the name of a property that every object has", ["constructor", "__proto__", "toString"], []],
    ["no role", undefined, []],
  ])("by roles: %s", (_what, roles, scopes) => {
    expect(byRole.rightsOfUser({ roles }, "ten_1").scopes).toEqual(scopes);
  });

  test("of a viewer are every scope that reads, the platform's own, too, but the reserved ones and the audit trail's", () => {
    const { scopes } = byRole.rightsOfUser({ roles: "viewer" }, "ten_1");
    expect(scopes).toEqual([
      ...["conversations:read", "plans:read", "users:read", "billing:read", "invoices:read", "api_keys:read"],
      ...["webhooks:read", "org:read", "usage:read", "reports:read"],
    ]);
  });

  test("of a developer are those of the rulings, and recent requests", () => {
    const { scopes } = createAuthority(accessRules({ rolesClaim: "r" })).rightsOfUser({ r: "developer" }, "ten_1");
    expect(scopes).toEqual([
      "api_keys:*",
      "conversations:*",
      "org:read",
      "plans:*",
      "usage:read",
      "users:read",
      "webhooks:*",
    ]);
  });

  test("include the reserved scopes only in the operator's tenant", () => {
    const authority = createAuthority(
      accessRules({ rolesClaim: "roles", operatorTenant: "ten_op", roles: { ops: ["system:*"], all: ["*"] } }),
    );
    for (const role of ["ops", "all", "owner", "admin"]) {
      expect(mayUse(authority.rightsOfUser({ roles: role }, "ten_op"), "system:*"), role).toBe(true);
      for (const tenant of ["ten_1", null]) {
        expect(mayUse(authority.rightsOfUser({ roles: role }, tenant), "system:read"), role).toBe(false);
      }
    }
    expect(authority.rightsOfUser({ roles: "ops" }, "ten_1").scopes).toEqual([]);
    expect(mayUse(authority.rightsOfUser({ roles: "developer" }, "ten_op"), "system:read")).toBe(false);
  });

  test("include no reserved scope where no tenant is the operator's, whatever the role", () => {
    const authority = createAuthority(accessRules({ rolesClaim: "roles", roles: { ops: ["system:*", "tenants:*"] } }));
    for (const role of ["ops", "owner", "admin"]) {
      expect(mayUse(authority.rightsOfUser({ roles: role }, "ten_1"), "system:write")).toBe(false);
    }
  });
});

describe("the rights of a key", () => {
  const { record } = newKey({ permissions: ["*", "gone:read"] });

  test("are the scopes of its record that are in the catalogue", () => {
    expect(createAuthority(accessRules()).rightsOfKey(record)).toEqual({ scopes: ["*"], includeReserved: true });
  });

  test("include the reserved scopes only in the operator's tenant, once there is one", () => {
    const authority = createAuthority(accessRules({ operatorTenant: "ten_op" }));
    const reader = { ...record, permissions: ["system:read", "plans:read"] };
    expect(mayUse(authority.rightsOfKey({ ...record, tenantId: "ten_op" }), "system:write")).toBe(true);
    expect(mayUse(authority.rightsOfKey({ ...record, tenantId: "ten_1" }), "system:write")).toBe(false);
    expect(authority.rightsOfKey({ ...reader, tenantId: "ten_1" }).scopes).toEqual(["plans:read"]);
    expect(authority.rightsOfKey({ ...reader, tenantId: "ten_op" }).scopes).toEqual(["system:read", "plans:read"]);
  });

  test("of a publishable key exclude scopes that it cannot have", () => {
    const permissions = ["*", "users:*", "conversations:read"];
    const { scopes } = createAuthority(accessRules()).rightsOfKey({ ...record, type: "publishable", permissions });
    expect(scopes).toEqual(["conversations:read"]);
  });
});

describe("granting", () => {
  const without = createAuthority(accessRules({ rolesClaim: "roles", roles: { ops: ["system:*"] } }));
  const withTenant = createAuthority(
    accessRules({ rolesClaim: "roles", operatorTenant: "ten_op", roles: { ops: ["system:*"] } }),
  );

  test("is limited to what the caller has", () => {
    const developer = without.rightsOfUser({ roles: "developer" }, "ten_1");
    for (const scope of ["api_keys:read", "api_keys:*", "users:read", "plans:write"]) {
      expect(without.mayGrant(developer, "ten_1", scope), scope).toBe(true);
    }
    for (const scope of ["*", "users:*", "users:impersonate", "billing:read", "system:read"]) {
      expect(without.mayGrant(developer, "ten_1", scope), scope).toBe(false);
    }
  });

  test("of reserved scopes is for those who have everything, where no tenant is the operator's", () => {
    const admin = without.rightsOfUser({ roles: "admin" }, "ten_1");
    const ops = without.rightsOfUser({ roles: "ops" }, "ten_1");
    for (const scope of ["system:read", "tenants:*", "*"]) {
      expect(without.mayGrant(admin, "ten_1", scope), scope).toBe(true);
      expect(without.mayGrant(ops, "ten_1", scope), scope).toBe(false);
    }
  });

  test("of reserved scopes is only for the operator's tenant, once there is one", () => {
    const admin = withTenant.rightsOfUser({ roles: "admin" }, "ten_1");
    const operator = withTenant.rightsOfUser({ roles: "owner" }, "ten_op");
    expect(withTenant.mayGrant(admin, "ten_1", "*")).toBe(true);
    expect(withTenant.mayGrant(admin, "ten_1", "system:read")).toBe(false);
    for (const caller of [operator, withTenant.rightsOfOperator]) {
      expect(withTenant.mayGrant(caller, "ten_op", "system:read")).toBe(true);
      expect(withTenant.mayGrant(caller, "ten_1", "system:read")).toBe(false);
      expect(withTenant.mayGrant(caller, "ten_1", "*")).toBe(true);
    }
  });
});

test("the roles that have a scope are named, none for a reserved one that no tenant has", () => {
  const authority = createAuthority(accessRules({ roles: { ops: ["system:*"], support: ["users:read"] } }));
  expect(authority.rolesWith("users:read")).toEqual(["owner", "admin", "developer", "viewer", "support"]);
  expect(authority.rolesWith("api_keys:write")).toEqual(["owner", "admin", "developer"]);
  expect(authority.rolesWith("system:*")).toEqual([]);
  const withTenant = createAuthority(accessRules({ roles: { ops: ["system:*"] }, operatorTenant: "ten_op" }));
  expect(withTenant.rolesWith("system:*")).toEqual(["owner", "admin", "ops"]);
});
