// promise: erasure.user
import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("other users of the tenant, and the tenant's own conversations, stay", async () => {
  const tenant_id = newTenant();
  const { bare, as } = await backendOf(latchkey, await latchkey.dashboard(tenant_id));
  const kept = [bare, as("u"), as("u11"), as("U1")];
  for (const caller of [...kept, as("u1")]) {
    await caller.send("c", "hello");
    expect(await caller.texts("c")).toHaveLength(2);
  }
  await operator.result("users/erase", { tenant_id, user_id: "u1" });
  for (const caller of kept) expect(await caller.texts("c")).toHaveLength(2);
});

test("another tenant's member of the same id stays a member, with their address", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const member = await newMember(latchkey, other, "viewer");
  const answer = await operator.result("users/erase", { tenant_id: one.org.tenant_id, user_id: member.sub });
  expect(answer.removed.members).toBe(0);
  expect((await other.owner.call("members/list")).json.members).toMatchObject([{}, { email: member.email }]);
});

test("neither the response nor a log line has a message or an email address of the user", async () => {
  const founded = await newOrganization(latchkey);
  const { tenant_id } = founded.org;
  const member = await newMember(latchkey, founded, "viewer");
  const { as } = await backendOf(latchkey, await latchkey.dashboard(tenant_id));
  await as(member.sub).send("c", "written by a person");
  const logged = latchkey.logLines.length;
  const { text } = await operator.call("users/erase", { tenant_id, user_id: member.sub });
  const seen = text + latchkey.logLines.slice(logged).join("");
  for (const secret of ["written by a person", member.email]) expect(seen).not.toContain(secret);
});
