import { describe, expect, test } from "vitest";
import { expectFault, expectInvalid, expectNotFound, expectPrecondition } from "../harness/error-answers.ts";
import { sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const SINCE = "2026-01-31T12:00:00Z";

describe("a redelivery is 400", () => {
  test.each([{}, { event_id: "evt_x", since: SINCE }])("as %j: exactly one of event_id and since", async (body) => {
    const answer = await webhooksOf(latchkey).call("deliveries/redeliver", body);
    expectFault(answer, 400, "invalid_argument");
    expect(answer.json.reason).toBe("one_of_required");
  });

  test.each([
    [{ since: SINCE }, "webhook_id"],
    [{ since: "yesterday", webhook_id: "whk_x" }, "since"],
    [{ since: SINCE, webhook_id: "whk_x", page_token: "x" }, "page_token"],
    [{ event_id: "evt_x", only_failed: true }, "only_failed"],
    [{ event_id: "evt_x", page_token: "MS4x" }, "page_token"],
  ])("as %j", async (body, field) => {
    expectInvalid(await webhooksOf(latchkey).call("deliveries/redeliver", body), field);
  });

  test("to a disabled webhook", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    const { event_id } = await storeDelivery(latchkey, webhooks.tenant, webhook_id);
    await webhooks.json("update", { webhook_id, status: "WEBHOOK_STATUS_DISABLED", update_mask: "status" });
    for (const body of [{ since: SINCE }, { event_id }]) {
      const answer = await webhooks.call("deliveries/redeliver", { webhook_id, ...body });
      expectPrecondition(answer, "webhook_id", "enable it first");
      expect(answer.json.reason).toBe("webhook_disabled");
    }
  });
});

test("an event without deliveries, or none to the webhook, is 404", async () => {
  const webhooks = webhooksOf(latchkey);
  const [one, other] = [await webhooks.create(), await webhooks.create()];
  const { event_id } = await storeDelivery(latchkey, webhooks.tenant, one.webhook_id);
  for (const body of [{ event_id: "evt_x" }, { event_id, webhook_id: other.webhook_id }]) {
    const answer = await webhooks.call("deliveries/redeliver", body);
    expectNotFound(answer);
    expect(answer.json.reason).toBe("event_not_found");
  }
});
