import { expect, test } from "vitest";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test("all webhooks of the tenant are listed, the oldest first, and no other tenant's", async () => {
  const webhooks = webhooksOf(latchkey);
  await webhooksOf(latchkey).create();
  const made = [await webhooks.create(), await webhooks.create({ events: ["run.failed"] }), await webhooks.create()];
  const { webhooks: listed } = await webhooks.json("list", {});
  expect(listed.map(({ webhook_id }: { webhook_id: string }) => webhook_id)).toEqual(
    made.map(({ webhook_id }) => webhook_id),
  );
  expect(listed[1].events).toEqual(["run.failed"]);
});

test("a tenant without webhooks has an empty list", async () => {
  expect(await webhooksOf(latchkey).json("list", {})).toEqual({ webhooks: [], next_page_token: "" });
});
