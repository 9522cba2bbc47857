import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a token of a tenant shows nothing of its organization to a user who is not a member", async () => {
  const { org, owner } = await newOrganization(latchkey);
  expect((await owner.call("list")).json.orgs).toHaveLength(1);
  expect((await orgUser(latchkey, org.tenant_id).call("list")).json.orgs).toEqual([]);
});
