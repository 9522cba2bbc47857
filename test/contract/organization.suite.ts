// promise: orgs.own, orgs.removed
import { describe, expect, test } from "vitest";
import { expectFault } from "../harness/error-answers.ts";
import type { Latchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization, orgUser } from "../harness/organizations.ts";
import { RPCS } from "../harness/rpcs.ts";

/** The RPCs about the organization of the caller's tenant. The others are for users of any tenant, or of none. */
const OF_TENANT = RPCS.filter(({ path, userScope }) => path.startsWith("/api/v1/orgs/") && userScope !== undefined);

/** Tests of every RPC about the organization of the caller's tenant. */
export function testOrganizationOfTenant(latchkey: Latchkey): void {
  describe("the organization of the caller's tenant", () => {
    test("is not found where the tenant has none, and the message says how to get one", async () => {
      expect(OF_TENANT).not.toEqual([]);
      for (const { path, body } of OF_TENANT) {
        const answer = await orgUser(latchkey, "ten_without_organization").call(path, body(""));
        expectFault(answer, 404, "not_found");
        expect(answer.json.message, path).toContain("create one with orgs/create");
      }
    });

    test.each([
      ["viewer", ["org:read"]],
      ["developer", ["org:read"]],
      ["admin", ["org:read", "org:write"]],
    ])("the role %s decides, as it is now", async (role, scopes) => {
      const founded = await newOrganization(latchkey);
      const member = await newMember(latchkey, founded, role);
      for (const { path, body, userScope } of OF_TENANT) {
        const { status, json } = await member.call(path, body(""));
        if (scopes.includes(userScope ?? "")) {
          expect([200, 404], path).toContain(status);
        } else {
          expect([path, status, json.denial_reason]).toEqual([path, 403, "insufficient_scope"]);
          expect(json.message).toContain("owner, admin");
        }
      }
      await founded.owner.call("members/set-role", { user_id: member.sub, role: "owner" });
      for (const { path, body } of OF_TENANT)
        expect([200, 404, 409], path).toContain((await member.call(path, body(""))).status);
    });

    test("a member who was removed is denied, with a token of before", async () => {
      const founded = await newOrganization(latchkey);
      const member = await newMember(latchkey, founded, "admin");
      await founded.owner.call("members/remove", { user_id: member.sub });
      for (const { path, body } of OF_TENANT) {
        const { status, json } = await member.call(path, body(""));
        expect([path, status, json.denial_reason]).toEqual([path, 403, "tenant_required"]);
        expect(json.message).toContain("removed from the organization");
      }
    });
  });
}
