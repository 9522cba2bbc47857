// promise: erasure.user, erasure.finishes
import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const NONE = {
  ...{ conversations: 0, runs: 0, messages: 0, client_message_ids: 0, members: 0, invitations: 0, client_org_ids: 0 },
  ...{ org_names: 0, keys: 0, key_actors: 0, key_usage: 0, requests: 0, webhooks: 0, webhook_events: 0 },
  ...{ access_tokens: 0, federation_rules: 0 },
};

test("what is stored of a user is removed, and counted by kind", async () => {
  const founded = await newOrganization(latchkey);
  const { tenant_id } = founded.org;
  const member = await newMember(latchkey, founded, "admin");
  const { json } = await member.call("/api/v1/api-keys/create", { name: "theirs", permissions: ["plans:read"] });
  const { as } = await backendOf(latchkey, await latchkey.dashboard(tenant_id));
  await as(member.sub).send("one", "hello", { client_message_id: "m1" });
  await as(member.sub).send("two", "hello");
  for (const key of ["one", "two"]) expect(await as(member.sub).texts(key)).toHaveLength(2);
  expect(await operator.result("users/erase", { tenant_id, user_id: member.sub })).toEqual({
    erasure_id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
    tenant_id,
    user_id: member.sub,
    finished: true,
    removed: {
      ...NONE,
      ...{ conversations: 2, runs: 2, messages: 4, client_message_ids: 1, members: 1, invitations: 1, key_actors: 1 },
      requests: expect.any(Number),
    },
  });
  expect((await as(member.sub).threads()).threads).toEqual([]);
  expect((await as(member.sub).state("one")).status).toBe(404);
  const { keys } = await operator.answer("keys/find", { key_id: json.result.key_id });
  expect(keys[0]).toMatchObject({ name: "theirs", status: "KEY_STATUS_ACTIVE" });
  expect(keys[0].created_by).toBeUndefined();
});

test("a token from before is refused with the end of the membership, and the user may be invited again", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  expect((await member.call("get")).status).toBe(200);
  await operator.result("users/erase", { tenant_id: founded.org.tenant_id, user_id: member.sub });
  expect((await member.call("get")).json.denial_reason).toBe("tenant_required");
  expect((await founded.owner.call("members/list")).json.members).toHaveLength(1);
  const { token } = (await founded.owner.call("invitations/create", { email: member.email })).json;
  expect((await member.call("invitations/accept", { token }, { tenant_id: undefined })).status).toBe(200);
  expect((await member.call("get")).status).toBe(200);
});

test("an invitation to the user's address is void", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  const { token } = (await founded.owner.call("invitations/create", { email: member.email })).json;
  await operator.result("users/erase", { tenant_id: founded.org.tenant_id, user_id: member.sub });
  expect((await founded.owner.call("invitations/list")).json.invitations).toEqual([]);
  expect((await member.call("invitations/accept", { token }, { tenant_id: undefined })).status).toBe(404);
});

test("the trail has one event, with the user as its target and no email address", async () => {
  const founded = await newOrganization(latchkey);
  const { tenant_id } = founded.org;
  const member = await newMember(latchkey, founded, "viewer");
  const { erasure_id } = await operator.result("users/erase", { tenant_id, user_id: member.sub });
  await operator.result("users/erase", { tenant_id, user_id: member.sub });
  const { events } = await operator.answer("audit/list", { tenant_id, action: "user.erased" });
  expect(events).toMatchObject([{ event_id: erasure_id, target_id: member.sub, tenant_id }]);
  expect(events[0].changes).toEqual({ members: { old: 1, new: 0 }, invitations: { old: 1, new: 0 } });
  expect(JSON.stringify((await operator.answer("audit/list", { tenant_id })).events)).not.toContain(member.email);
});

test("a user of another issuer with the same id stays a member", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  const body = { tenant_id: founded.org.tenant_id, user_id: member.sub };
  await operator.result("users/erase", { ...body, issuer: "https://another.example.com" });
  expect((await member.call("get")).status).toBe(200);
  await operator.result("users/erase", { ...body, issuer: latchkey.provider.issuer });
  expect((await member.call("get")).status).toBe(403);
});

test("an owner with another one beside them can be erased", async () => {
  const founded = await newOrganization(latchkey);
  const second = await newMember(latchkey, founded, "owner");
  const { tenant_id } = founded.org;
  expect(await operator.result("users/erase", { tenant_id, user_id: founded.owner.sub })).toMatchObject({
    removed: { ...NONE, members: 1 },
  });
  expect((await second.call("members/list")).json.members).toHaveLength(1);
});

test("a call whose time is up returns finished: false, and the erasure goes on", async () => {
  const service = await startLatchkey({ erasureWaitMs: 0 });
  const tenant_id = newTenant();
  const { as } = await backendOf(service, await service.dashboard(tenant_id));
  await as("u1").send("c", "hello");
  expect(await as("u1").texts("c")).toHaveLength(2);
  const calls = operatorOf(service);
  const erase = () => calls.result("users/erase", { tenant_id, user_id: "u1" });
  const first = await erase();
  expect(first).toMatchObject({ finished: false, removed: NONE });
  await expect.poll(async () => (await as("u1").threads()).threads.length).toBe(0);
  await expect
    .poll(async () => (await calls.answer("audit/list", { tenant_id, action: "user.erased" })).events)
    .toMatchObject([{ event_id: first.erasure_id, changes: { conversations: { old: 1, new: 0 } } }]);
  await service.close();
});

test("a user erased in one tenant keeps what they have in another", async () => {
  const [one, other] = [newTenant(), newTenant()];
  const callers = await Promise.all(
    [one, other].map(async (tenant) => backendOf(latchkey, await latchkey.dashboard(tenant))),
  );
  for (const { as } of callers) {
    await as("u1").send("c", "hello");
    expect(await as("u1").texts("c")).toHaveLength(2);
  }
  await operator.result("users/erase", { tenant_id: one, user_id: "u1" });
  expect(await Promise.all(callers.map(async ({ as }) => (await as("u1").threads()).threads.length))).toEqual([0, 1]);
});
