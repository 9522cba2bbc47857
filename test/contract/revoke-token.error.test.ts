import { expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const REVOKE = "/api/v1/tokens/revoke";

test.each([{}, { token_id: "" }, { token_id: 5 }, { token_id: "x".repeat(257) }])("%.40j is 400", async (body) => {
  expectInvalid(await latchkey.call(REVOKE, body, await latchkey.dashboard()), "token_id");
});

test("a token_id that there is not is 404, and so is a token in its place", async () => {
  const key = await derivingKey(latchkey);
  const { token, token_id } = await key.derive({ scopes: ["plans:read"] });
  expectNotFound(await latchkey.call(REVOKE, { token_id: "tok_x" }, key.headers));
  expectNotFound(await latchkey.call(REVOKE, { token_id: `${token_id}x` }, key.headers));
  const { status } = await latchkey.call(REVOKE, { token_id: token.slice(0, 256) }, key.headers);
  expect(status).toBe(404);
});
