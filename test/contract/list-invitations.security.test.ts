import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("no other organization's invitations are listed", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  await invite(one.owner, "jo@example.com");
  expect((await one.owner.call("invitations/list")).json.invitations).toHaveLength(1);
  expect((await other.owner.call("invitations/list")).json.invitations).toEqual([]);
});
