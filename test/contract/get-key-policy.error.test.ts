import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { policyOf } from "../harness/key-policy.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test.each(["tenant_id", "policy", "key_id"])("the member %s is unknown", async (member) => {
  expectInvalid(await policyOf(latchkey).call("get", { [member]: "x" }), member);
});
