// promise: verify.same
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

const LIST = "list is closed: POST /api/v1/scopes/list returns all of it";

test.each([
  ["plans:reed", `is not a known scope; did you mean "plans:read"? The ${LIST}`],
  ["PLANS:read", `is not a known scope; did you mean "plans:read"? The ${LIST}`],
  ["nonsense", `is not a known scope; the ${LIST}`],
  ["plans:*", 'must be no wildcard; ask for one "domain:action"'],
  ["*", 'must be no wildcard; ask for one "domain:action"'],
])("the scope %s is 400: it %s", async (scope, problem) => {
  const answer = await latchkey.call(VERIFY, { scope }, await latchkey.dashboard());
  expectInvalid(answer, "scope");
  expect(answer.json.message).toBe(`scope: ${problem}`);
});

describe("explain", () => {
  test("requires a key_id, which no other call takes", async () => {
    const dashboard = await latchkey.dashboard();
    const { key_id } = await latchkey.createKey(dashboard);
    expectInvalid(await latchkey.call(VERIFY, { explain: true }, dashboard), "key_id", "required");
    expectInvalid(await latchkey.call(VERIFY, { key_id }, dashboard), "key_id", "explain");
  });

  test("of an unknown scope is 400 and suggests the nearest one", async () => {
    const dashboard = await latchkey.dashboard();
    const { key_id } = await latchkey.createKey(dashboard);
    const body = { explain: true, key_id, scopes: ["plans:read", "plans:reed"] };
    expectInvalid(await latchkey.call(VERIFY, body, dashboard), "scopes[1]", "did you mean");
  });
});
