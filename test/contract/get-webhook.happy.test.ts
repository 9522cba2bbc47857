import { expect, test } from "vitest";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test("a webhook is read as it is listed", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create();
  await webhooks.json("rotate-secret", { webhook_id });
  const { result } = await webhooks.json("get", { webhook_id });
  expect((await webhooks.json("list", {})).webhooks).toEqual([result]);
});
