import { expect, test } from "vitest";
import { sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
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
