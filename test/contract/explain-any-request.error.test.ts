import { expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const call = (body: object) => operatorOf(latchkey).call("requests/explain", body);

test.each([{}, { request_id: "" }, { request_id: "x".repeat(257) }])(
  "%.60j is 400 and names the member",
  async (body) => {
    expectInvalid(await call(body), "request_id");
  },
);

test("a request that never was is 404", async () => {
  const answer = await call({ request_id: "req_never" });
  expectNotFound(answer);
  expect(answer.json.reason).toBe("request_not_found");
});
