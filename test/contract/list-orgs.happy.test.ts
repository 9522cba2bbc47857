import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a user without organizations has an empty list", async () => {
  expect((await orgUser(latchkey).call("list")).json).toEqual({
    orgs: [],
    pagination: { total: 0, page: 1, per_page: 20, total_pages: 0 },
    next_page_token: "",
  });
});

test("a user lists their organizations by name, with the role in each and the current one", async () => {
  const founded = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  await user.call("create", { name: "Zenith" });
  const { token } = await invite(founded.owner, user.email, "developer");
  await user.call("invitations/accept", { token });
  const { org_id, tenant_id } = founded.org;
  expect((await user.call("list")).json).toEqual({
    orgs: [
      { org_id, tenant_id, name: "Acme", role: "developer", current: true },
      { org_id: expect.any(String), tenant_id: expect.any(String), name: "Zenith", role: "owner", current: false },
    ],
    pagination: { total: 2, page: 1, per_page: 20, total_pages: 1 },
    next_page_token: "",
  });
});

test("the list has pages", async () => {
  const user = orgUser(latchkey);
  for (const name of ["C", "A", "B"]) await user.call("create", { name });
  const { json } = await user.call("list", { page: 2, per_page: 2 });
  expect(json.orgs.map(({ name }: { name: string }) => name)).toEqual(["C"]);
  expect(json.pagination).toEqual({ total: 3, page: 2, per_page: 2, total_pages: 2 });
});

test("an organization that a user was removed from is not theirs any more", async () => {
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  await user.call("invitations/accept", { token });
  await owner.call("members/remove", { user_id: user.sub });
  expect((await user.call("list")).json.orgs).toEqual([]);
});
