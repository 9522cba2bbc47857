// promise: orgs.own
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("another tenant's members are answered like unknown ones, and stay", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const unknown = await one.owner.call("members/remove", { user_id: "unknown" });
  const foreign = await one.owner.call("members/remove", { user_id: other.owner.sub });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  expect((await other.owner.call("get")).status).toBe(200);
});
