import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("the members are listed with their roles and addresses, the oldest first, in pages", async () => {
  const founded = await newOrganization(latchkey);
  const { owner } = founded;
  const developer = await newMember(latchkey, founded, "developer");
  const viewer = await newMember(latchkey, founded, "viewer");
  const { issuer } = latchkey.provider;
  const created_at = expect.stringMatching(/Z$/);
  const member = ({ sub, email }: typeof owner, role: string) => ({ user_id: sub, issuer, role, email, created_at });
  const { json } = await viewer.call("members/list");
  expect(json).toEqual({
    members: [member(owner, "owner"), member(developer, "developer"), member(viewer, "viewer")],
    pagination: { total: 3, page: 1, per_page: 20, total_pages: 1 },
    next_page_token: "",
  });
  const second = (await viewer.call("members/list", { page: 2, per_page: 2 })).json;
  expect(second.members).toEqual([member(viewer, "viewer")]);
  expect(second.pagination).toEqual({ total: 3, page: 2, per_page: 2, total_pages: 2 });
});

test("a founder whose address is not verified has none in the list", async () => {
  const { owner } = await newOrganization(latchkey);
  const { result } = (await owner.call("create", { name: "B" }, { email_verified: false })).json;
  const { members } = (await owner.call("members/list", {}, { tenant_id: result.tenant_id })).json;
  expect(members).toMatchObject([{ user_id: owner.sub, email: "" }]);
});
