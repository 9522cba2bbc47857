import { expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const LIST = "/api/v1/scopes/list";

const latchkey = await sharedLatchkey();

test.each(["page", "scope", "publishable", "tenant_id"])("the member %s is unknown", async (member) => {
  expectInvalid(await latchkey.call(LIST, { [member]: 1 }, await latchkey.dashboard()), member);
});

test.each(["[]", "5", "{", '"x"'])("the body %s is 400", async (body) => {
  expectFault(await latchkey.call(LIST, body, await latchkey.dashboard()), 400, "invalid_argument");
});

test("scopes cannot be created through the API", async () => {
  const answer = await latchkey.call("/api/v1/scopes/create", { name: "x:y" }, await latchkey.dashboard());
  expect(answer.status).toBe(404);
});
