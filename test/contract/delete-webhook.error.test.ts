import { test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test.each([{}, { webhook_id: "" }, { webhook_id: 5 }])("%j is 400", async (body) => {
  expectInvalid(await webhooksOf(latchkey).call("delete", body), "webhook_id");
});

test("an unknown webhook_id is 404", async () => {
  expectNotFound(await webhooksOf(latchkey).call("delete", { webhook_id: "whk_x" }));
});

test("deleting again is 404", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create();
  await webhooks.json("delete", { webhook_id });
  expectNotFound(await webhooks.call("delete", { webhook_id }));
});
