import { expect, test } from "vitest";
import { sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";
import { observable } from "./foreign-key.suite.ts";

const latchkey = await sharedWithWebhooks();

test("another tenant's event is an unknown one, and is not sent again", async () => {
  const [owner, stranger] = [webhooksOf(latchkey), webhooksOf(latchkey)];
  const { webhook_id } = await owner.create();
  const { event_id } = await storeDelivery(latchkey, owner.tenant, webhook_id);
  const before = await owner.json("deliveries/list", {});
  const unknown = await stranger.call("deliveries/redeliver", { event_id: "evt_x" });
  expect(observable(await stranger.call("deliveries/redeliver", { event_id }))).toEqual(observable(unknown));
  expect(await owner.json("deliveries/list", {})).toEqual(before);
});
