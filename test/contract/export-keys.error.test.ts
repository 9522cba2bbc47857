import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const operator = operatorOf(await sharedLatchkey());

test.each(["x", "cGFnZS4yLjIw", "ZXhwb3J0Lng"])(
  "the page token %s, of no page of this list, is 400",
  async (page_token) => {
    expectInvalid(await operator.call("keys/export", { page_token }), "page_token");
  },
);

test("a negative size is 400", async () => {
  expectInvalid(await operator.call("keys/export", { per_page: -1 }), "per_page");
});
