import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test.each(["", " ", "\u0085", "\u200b", "x".repeat(129), 5, null])("the name %j is 400", async (name) => {
  expectInvalid(await latchkey.call("/api/v1/orgs/create", { name }, await latchkey.dashboard()), "name");
});

test("a tenant cannot be chosen", async () => {
  const body = { name: "Acme", tenant_id: "ten_x" };
  expectInvalid(await latchkey.call("/api/v1/orgs/create", body, await latchkey.dashboard()), "tenant_id");
});
