// promise: audit.pages
import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

// The members that both lists have are in `list-audit-events.error.test.ts`.
const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test.each([5, true, {}, [], "x".repeat(257)])("the tenant_id %.12j is 400 and names the member", async (tenant_id) => {
  expectInvalid(await operator.call("audit/list", { tenant_id }), "tenant_id");
});

test("a tenant without events is not an error", async () => {
  expect(await operator.answer("audit/list", { tenant_id: "ten_unknown" })).toEqual({
    events: [],
    next_page_token: "",
  });
});
