import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const operator = operatorOf(await sharedLatchkey());

test.each(["page", "per_page", "key_format"])("the member %s is 400: the list is whole", async (member) => {
  expectInvalid(await operator.call("key-formats/list", { [member]: 1 }), member);
});

test("a page token is 400: the list has one page", async () => {
  expectInvalid(await operator.call("key-formats/list", { page_token: "cGFnZS4yLjIw" }), "page_token");
});
