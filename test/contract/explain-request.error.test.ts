import { expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const call = async (body: object) => latchkey.call("/api/v1/requests/explain", body, await latchkey.dashboard());

test.each([{}, { request_id: "" }, { request_id: "x".repeat(257) }, { request_id: 5 }])(
  "%.60j is 400 and names the member",
  async (body) => {
    expectInvalid(await call(body), "request_id");
  },
);

test("a request that never was is 404, and the message says how long requests are there", async () => {
  const answer = await call({ request_id: "req_never" });
  expectNotFound(answer);
  expect(answer.json.reason).toBe("request_not_found");
  expect(answer.json.message).toContain("X-Request-Id");
});
