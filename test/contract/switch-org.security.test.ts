// promise: orgs.own
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("another's organization, and one that the user was removed from, are answered like an unknown one", async () => {
  const founded = await newOrganization(latchkey);
  const { org_id } = founded.org;
  const [stranger, former] = [orgUser(latchkey), await newMember(latchkey, founded, "admin")];
  await founded.owner.call("members/remove", { user_id: former.sub });
  const unknown = await stranger.call("switch", { org_id: "org_unknown" });
  for (const answer of [
    await stranger.call("switch", { org_id }),
    await orgUser(latchkey, founded.org.tenant_id).call("switch", { org_id }),
    await former.call("switch", { org_id }, { tenant_id: undefined }),
  ]) {
    expect([answer.status, answer.text]).toEqual([404, unknown.text]);
  }
});
