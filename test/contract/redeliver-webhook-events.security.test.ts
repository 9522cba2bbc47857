import { expect, test } from "vitest";
import { sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { observable } from "./foreign-key.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "RedeliverWebhookEvents");
testWebhookCallers(latchkey, "deliveries/redeliver", false);
testForeignWebhook(latchkey, "deliveries/redeliver", (webhook_id) => ({ webhook_id, since: "2026-01-01T00:00:00Z" }));

test("another tenant's event is an unknown one, and is not sent again", async () => {
  const [owner, stranger] = [webhooksOf(latchkey), webhooksOf(latchkey)];
  const { webhook_id } = await owner.create();
  const { event_id } = await storeDelivery(latchkey, owner.tenant, webhook_id);
  const before = await owner.json("deliveries/list", {});
  const unknown = await stranger.call("deliveries/redeliver", { event_id: "evt_x" });
  expect(observable(await stranger.call("deliveries/redeliver", { event_id }))).toEqual(observable(unknown));
  expect(await owner.json("deliveries/list", {})).toEqual(before);
});
