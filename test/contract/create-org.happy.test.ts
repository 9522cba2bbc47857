// promise: orgs.create
import { expect, test } from "vitest";
import { sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { orgUser } from "../harness/organizations.ts";
import { storedText } from "../harness/stored-text.ts";

const CREATE = "/api/v1/orgs/create";

const latchkey = await sharedLatchkey();

test("a user without a tenant creates organizations, each with a tenant of its own", async () => {
  const token = await latchkey.dashboardToken({ tenant_id: undefined });
  const make = () => latchkey.call(CREATE, { name: "Acme" }, { authorization: `Bearer ${token}` });
  const [first, second] = [await make(), await make()];
  expect(first.json).toEqual({
    result: {
      org_id: expect.stringMatching(/^org_/),
      tenant_id: expect.stringMatching(/^ten_/),
      name: "Acme",
      created_at: expect.stringMatching(/Z$/),
    },
  });
  expect(second.json.result.tenant_id).not.toBe(first.json.result.tenant_id);
});

test("with client_org_id a repeated call, also at once, answers the same organization, and others one of their own", async () => {
  const user = orgUser(latchkey);
  const create = (caller = user) => caller.call("create", { name: "Acme", client_org_id: "signup" });
  const [first, ...others] = await Promise.all([create(), create(), create()]);
  expect(first?.status).toBe(200);
  for (const answer of [...others, await create()]) expect(answer.text).toBe(first?.text);
  expect((await user.call("list")).json.orgs).toHaveLength(1);
  expect((await create(orgUser(latchkey))).json.result.org_id).not.toBe(first?.json.result.org_id);
  const second = await user.call("create", { name: "Acme", client_org_id: "x".repeat(128) });
  expect(second.json.result.org_id).not.toBe(first?.json.result.org_id);
});

test("the new organization is its creator's current one", async () => {
  const user = orgUser(latchkey);
  for (const name of ["B", "A"]) await user.call("create", { name });
  expect((await user.call("list")).json.orgs).toMatchObject([
    { name: "A", role: "owner", current: true },
    { name: "B", current: false },
  ]);
});

test("the caller is stored as the organization's owner", async () => {
  const { storage, cleanUp } = await testStorage();
  const own = await startLatchkey({ config: { storage } });
  const token = await own.dashboardToken({ sub: "anna" });
  const { json } = await own.call(CREATE, { name: "Acme" }, { authorization: `Bearer ${token}` });
  await own.close();
  const members = (await storedText(storage)).match(/^org_members .*$/gm);
  await cleanUp();
  expect(members).toEqual([expect.stringContaining(`(${json.result.org_id},anna,owner,`)]);
});
