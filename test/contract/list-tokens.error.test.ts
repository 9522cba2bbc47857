import { describe, expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const LIST = "/api/v1/tokens/list";

describe("a request for the list is 400, which names the member,", () => {
  test.each([
    ["per_page", -1],
    ["per_page", "many"],
    ["page_token", "x"],
    ["key_id", "x".repeat(257)],
    ["status", "revoked"],
  ])("with the %s %.20j", async (member, value) => {
    expectInvalid(await latchkey.call(LIST, { [member]: value }, await latchkey.dashboard()), member);
  });
});

test("a key that there is not has no tokens", async () => {
  const { json } = await latchkey.call(LIST, { key_id: "key_x" }, await latchkey.dashboard());
  expect(json).toEqual({ tokens: [], next_page_token: "" });
});

test.each(["list", "revoke"])("tokens/%s without TOKEN_SECRET says what the operator must set", async (verb) => {
  const without = await sharedLatchkey({ accessTokens: null });
  const { headers } = await derivingKey(without);
  const answer = await without.call(`/api/v1/tokens/${verb}`, verb === "list" ? {} : { token_id: "tok_x" }, headers);
  expect([answer.status, answer.json.reason]).toEqual([400, "tokens_not_configured"]);
});
