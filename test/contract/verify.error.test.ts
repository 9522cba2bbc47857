import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

test.each([
  ["plans:reed", "is no known scope"],
  ["PLANS:read", "is no known scope"],
  ["plans:*", "must be no wildcard"],
  ["*", "must be no wildcard"],
])("the scope %s is 400: it %s", async (scope, problem) => {
  const answer = await latchkey.call(VERIFY, { scope }, await latchkey.dashboard());
  expect(answer.status).toBe(400);
  expect(answer.json.message).toMatch(new RegExp(`^scope: ${problem}; did you mean`));
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
