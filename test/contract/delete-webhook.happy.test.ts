// promise: webhooks.audited
import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { HOOK_URL, sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test("a deleted webhook is gone with its deliveries, and others stay", async () => {
  const webhooks = webhooksOf(latchkey);
  const [gone, stays] = [await webhooks.create(), await webhooks.create()];
  await storeDelivery(latchkey, webhooks.tenant, gone.webhook_id, { status: "pending" });
  const kept = await storeDelivery(latchkey, webhooks.tenant, stays.webhook_id, { status: "pending" });
  expect(await webhooks.json("delete", { webhook_id: gone.webhook_id })).toEqual({});
  const { deliveries } = await webhooks.json("deliveries/list", {});
  expect(deliveries).toMatchObject([kept]);
  expect((await webhooks.json("list", {})).webhooks).toMatchObject([{ webhook_id: stays.webhook_id }]);
});

test("the audit trail has what was deleted", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create();
  await webhooks.json("delete", { webhook_id });
  const [event] = await eventsOf(latchkey, webhooks.tenant, { action: "webhook.deleted" });
  expect(event).toMatchObject({ target_id: webhook_id, changes: { url: { old: HOOK_URL } } });
});
