import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test.each(["owner", "admin"])("a member with the role %s renames the organization", async (role) => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, role);
  const renamed = { ...founded.org, name: "Grüße 你好" };
  expect((await member.call("update", { name: renamed.name })).json).toEqual({ result: renamed });
  expect((await founded.owner.call("get")).json).toEqual({ result: renamed });
  expect((await founded.owner.call("list")).json.orgs).toMatchObject([{ name: renamed.name }]);
});

test("another organization keeps its name", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  await one.owner.call("update", { name: "New" });
  expect((await other.owner.call("get")).json.result.name).toBe("Acme");
});
