// promise: webhooks.disabled, webhooks.audited
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { HOOK_URL, sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const OTHER = { url: `${HOOK_URL}/2`, events: ["run.failed"], description: "two" };

describe("an update", () => {
  test.each(["url", "events", "description"] as const)("of %s changes only that member", async (member) => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create({ description: "one" });
    const before = (await webhooks.json("get", { webhook_id })).result;
    const { result } = await webhooks.json("update", { webhook_id, ...OTHER, update_mask: member });
    expect(result).toEqual({ ...before, [member]: OTHER[member] });
    expect((await webhooks.json("get", { webhook_id })).result).toEqual(result);
  });

  test("without a description clears it", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create({ description: "one" });
    const { result } = await webhooks.json("update", { webhook_id, update_mask: "description" });
    expect(result.description).toBe("");
  });

  test("is in the audit trail with the old and the new value, and only if it changes something", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    for (let n = 0; n < 2; n++) {
      await webhooks.json("update", { webhook_id, events: ["run.failed"], update_mask: "events" });
    }
    const events = await eventsOf(latchkey, webhooks.tenant, { action: "webhook.updated" });
    expect(events).toMatchObject([{ target_id: webhook_id, changes: { events: { old: ["*"], new: ["run.failed"] } } }]);
  });
});

describe("the status", () => {
  const set = (webhook_id: string, status: string) => ({ webhook_id, status, update_mask: "status" });

  test("disables, with a reason, and what is pending has failed", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    const { delivery_id } = await storeDelivery(latchkey, webhooks.tenant, webhook_id, { status: "pending" });
    const { result } = await webhooks.json("update", set(webhook_id, "WEBHOOK_STATUS_DISABLED"));
    expect(result).toMatchObject({ status: "WEBHOOK_STATUS_DISABLED", disabled_reason: "requested" });
    const { deliveries } = await webhooks.json("deliveries/list", { webhook_id });
    expect(deliveries).toEqual([
      expect.objectContaining({
        delivery_id,
        status: "WEBHOOK_DELIVERY_STATUS_FAILED",
        last_error: "the webhook was disabled",
      }),
    ]);
    expect(deliveries[0]).not.toHaveProperty("next_attempt_at");
  });

  test("enables a webhook that the service disabled, as one that has not failed", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    await latchkey.database.db
      .updateTable("webhooks")
      .set({ status: "disabled", disabled_reason: "failing", failing_since: new Date(0) })
      .where("tenant_id", "=", webhooks.tenant)
      .where("webhook_id", "=", webhook_id)
      .execute();
    const failing = (await webhooks.json("get", { webhook_id })).result;
    expect(failing).toMatchObject({ disabled_reason: "failing", failing_since: "1970-01-01T00:00:00Z" });
    const again = (await webhooks.json("update", set(webhook_id, "WEBHOOK_STATUS_DISABLED"))).result;
    expect(again).toEqual(failing);
    const { result } = await webhooks.json("update", set(webhook_id, "WEBHOOK_STATUS_ENABLED"));
    expect(result).toMatchObject({ status: "WEBHOOK_STATUS_ENABLED", disabled_reason: "" });
    expect(result).not.toHaveProperty("failing_since");
  });
});
