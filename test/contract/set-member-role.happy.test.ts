import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a member's new role decides the next request, with the token of before", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  const create = () => member.call("/api/v1/api-keys/create", { name: "key", permissions: ["plans:read"] });
  expect((await create()).status).toBe(403);
  for (const [role, status] of [
    ["developer", 200],
    ["viewer", 403],
    ["admin", 200],
  ] as const) {
    const { json } = await founded.owner.call("members/set-role", { user_id: member.sub, role });
    expect(json.result).toMatchObject({ user_id: member.sub, role, email: member.email });
    expect((await create()).status).toBe(status);
  }
});

test("an owner steps back once there is another one", async () => {
  const founded = await newOrganization(latchkey);
  const { owner } = founded;
  const member = await newMember(latchkey, founded, "admin");
  await owner.call("members/set-role", { user_id: member.sub, role: "owner" });
  const { json } = await owner.call("members/set-role", { user_id: owner.sub, role: "viewer" });
  expect(json.result.role).toBe("viewer");
  expect((await owner.call("update", { name: "New" })).status).toBe(403);
});

test("the last owner may be made owner again", async () => {
  const { owner } = await newOrganization(latchkey);
  expect((await owner.call("members/set-role", { user_id: owner.sub, role: "owner" })).status).toBe(200);
});
