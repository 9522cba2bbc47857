import { expect, test } from "vitest";
import { createOrg } from "./create.ts";
import type { NewOrganization } from "./org.ts";

test("an organization has a tenant of its own, and its creator as its owner", async () => {
  const stored: NewOrganization[] = [];
  const createdAt = new Date("2026-03-01T12:00:00Z");
  const orgs = {
    async insertOrg(org: NewOrganization) {
      stored.push(org);
      return { ...org, createdAt };
    },
  };
  const ctx = { orgs, areTenantsAdopted: false };
  const org = await createOrg(ctx, { name: "Example", ownerUserId: "u1" });
  expect(org).toEqual({ ...stored[0], createdAt });
  expect(org).toMatchObject({ name: "Example", ownerUserId: "u1" });
  expect(org.orgId).toMatch(/^org_[0-9a-f]{32}$/);
  expect(org.tenantId).toMatch(/^ten_[0-9a-f]{32}$/);
  await expect(createOrg(ctx, { name: " ", ownerUserId: "u1" })).rejects.toThrow("name: is required");
  await expect(
    createOrg({ orgs, areTenantsAdopted: true }, { name: "Example", ownerUserId: "u1" }),
  ).rejects.toMatchObject({ kind: "failed_precondition", message: expect.stringContaining("identity provider") });
  expect(stored).toHaveLength(1);
});
