import { expect, test } from "vitest";
import { sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test("no tenant has deliveries of another, whatever it filters by", async () => {
  const owner = webhooksOf(latchkey);
  const { webhook_id } = await owner.create();
  const { event_id } = await storeDelivery(latchkey, owner.tenant, webhook_id);
  expect((await owner.json("deliveries/list", { event_id })).deliveries).toHaveLength(1);
  const stranger = webhooksOf(latchkey);
  for (const body of [{}, { event_id }, { type: "api_key.revoked" }, { status: "WEBHOOK_DELIVERY_STATUS_DELIVERED" }]) {
    expect((await stranger.json("deliveries/list", { ...body, include_body: true })).deliveries).toEqual([]);
  }
});
