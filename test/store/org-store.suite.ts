import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import type { OrgStore } from "../../src/domain/ports/orgs.ts";
import { NOW } from "./records.ts";

/** What every OrgStore promises. Its clock stands at `NOW`. */
export function orgStoreSuite(name: string, open: () => Promise<OrgStore>): void {
  describe(`organizations in ${name}`, () => {
    let orgs: OrgStore;
    beforeAll(async () => {
      orgs = await open();
    });

    const newOrg = () => ({
      orgId: newId("org"),
      tenantId: newId("ten"),
      name: "Acme",
      ownerUserId: "anna",
    });

    test("an organization is stored as given, with the storage's time of creation", async () => {
      const org = newOrg();
      expect(await orgs.insertOrg(org)).toEqual({ ...org, createdAt: NOW });
    });

    test("one user may own many organizations of one name", async () => {
      await orgs.insertOrg(newOrg());
      await orgs.insertOrg(newOrg());
    });

    test("a tenant belongs to one organization, and a rejected one leaves no rows", async () => {
      const org = newOrg();
      await orgs.insertOrg(org);
      const thief = { ...newOrg(), tenantId: org.tenantId };
      await expect(orgs.insertOrg(thief)).rejects.toThrow();
      await orgs.insertOrg({ ...thief, tenantId: newId("ten") });
    });
  });
}
