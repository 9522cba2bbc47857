import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a member of any role reads the organization of their tenant", async () => {
  const founded = await newOrganization(latchkey);
  const viewer = await newMember(latchkey, founded, "viewer");
  for (const user of [founded.owner, viewer]) {
    expect(await user.call("get")).toMatchObject({ status: 200, json: { result: founded.org } });
  }
});

test("which of a user's organizations is read is decided by the tenant of the token", async () => {
  const [first, second] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const { token } = (await second.owner.call("invitations/create", { email: first.owner.email })).json;
  await first.owner.call("invitations/accept", { token });
  expect((await first.owner.call("get")).json.result).toEqual(first.org);
  const other = await first.owner.call("get", {}, { tenant_id: second.org.tenant_id });
  expect(other.json.result).toEqual(second.org);
});
