import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("no organization can be asked for: it is that of the tenant", async () => {
  const { org, owner } = await newOrganization(latchkey);
  expectInvalid(await owner.call("get", { org_id: org.org_id }), "org_id");
});

test("a user without a tenant is denied, and the message says how to get one", async () => {
  const { status, json } = await orgUser(latchkey).call("get");
  expect([status, json.denial_reason]).toEqual([403, "tenant_required"]);
  expect(json.message).toMatch(/organization/);
});
