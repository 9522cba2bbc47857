import { expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const operator = operatorOf(await sharedLatchkey());

test("a format that does not exist is 404", async () => {
  const answer = await operator.call("key-formats/delete", { key_format: "unknown" });
  expectNotFound(answer);
  expect(answer.json.reason).toBe("key_format_not_found");
});

test("a request without a name is 400", async () => {
  expectInvalid(await operator.call("key-formats/delete", {}), "key_format");
});
