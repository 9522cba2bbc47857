import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const { owner, org } = await newOrganization(latchkey);

test.each(["", " ", "\u200b", "x".repeat(129), 5, null, undefined])("the name %j is 400", async (name) => {
  expectInvalid(await owner.call("update", { name }), "name");
});

test.each([{ tenant_id: "ten_x" }, { org_id: org.org_id }])("nothing but the name can be changed: %j", async (more) => {
  expectInvalid(await owner.call("update", { name: "New", ...more }), Object.keys(more).join());
});
