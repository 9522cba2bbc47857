import { expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import type { UserKey } from "../tokens/user-key.ts";
import { createOrg } from "./create.ts";
import type { NewOrganization } from "./org.ts";

const createdAt = new Date("2026-03-01T12:00:00Z");
const CREATOR = dashboardUser({ verifiedEmail: "jo@example.com", tenantId: null });

/** Stores what it is given; a known `clientOrgId` gets the first one's organization. */
function start(areTenantsAdopted = false) {
  const stored: [NewOrganization, UserKey, string][] = [];
  const byRequest = new Map<string, NewOrganization>();
  const orgs = {
    async createOrg(org: NewOrganization, owner: UserKey, email: string, clientOrgId: string | null) {
      const first = byRequest.get(clientOrgId ?? "");
      if (first !== undefined) return { ...first, createdAt };
      if (clientOrgId !== null) byRequest.set(clientOrgId, org);
      stored.push([org, owner, email]);
      return { ...org, createdAt };
    },
  };
  const create = (name: string, clientOrgId: string | null = null) =>
    createOrg({ orgs, areTenantsAdopted }, CREATOR, { name, clientOrgId }, ACT);
  return { stored, create };
}

test("an organization has a tenant of its own, and its creator as its owner", async () => {
  const { stored, create } = start();
  const org = await create("Example");
  expect(stored).toEqual([[{ orgId: org.orgId, tenantId: org.tenantId, name: "Example" }, CREATOR, "jo@example.com"]]);
  expect(org).toMatchObject({ name: "Example", createdAt });
  expect(org.orgId).toMatch(/^org_[0-9a-f]{32}$/);
  expect(org.tenantId).toMatch(/^ten_[0-9a-f]{32}$/);
  await expect(create(" ")).rejects.toThrow("name: is required");
  expect(stored).toHaveLength(1);
});

test("a repeated call returns the first one's organization, and another name is a fault", async () => {
  const { stored, create } = start();
  const first = await create("Example", "mine");
  expect(await create("Example", "mine")).toEqual(first);
  await expect(create("Other", "mine")).rejects.toMatchObject({
    kind: "failed_precondition",
    message: expect.stringContaining("client_org_id"),
  });
  expect(stored).toHaveLength(1);
});

test("is refused where the organizations of the identity provider are the tenants", async () => {
  const { stored, create } = start(true);
  await expect(create("Example")).rejects.toMatchObject({
    kind: "failed_precondition",
    message: expect.stringContaining("identity provider"),
  });
  expect(stored).toEqual([]);
});
