// promise: delivery.same-body
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { JsonObject } from "../harness/http.ts";
import { sharedWithWebhooks, storeAnother, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const AT = new Date("2026-01-31T12:00:00Z");
const at = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);

/** Whether a delivery is due. The attempt itself may have been made meanwhile. */
async function isSentAgain(webhooks: ReturnType<typeof webhooksOf>, delivery_id: string): Promise<boolean> {
  const { deliveries } = await webhooks.json("deliveries/list", { per_page: 100 });
  const found = deliveries.find((each: JsonObject) => each.delivery_id === delivery_id);
  return found.attempts < 2 && (found.next_attempt_at ?? "9999") < "2100";
}

/** A webhook that no attempt reaches: its URL leads nowhere. */
async function withDeliveries(count: number, fields: object = {}) {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create({ url: "https://hooks.invalid/" });
  const made: { event_id: string; delivery_id: string }[] = [];
  for (let n = 0; n < count; n++) {
    made.push(await storeDelivery(latchkey, webhooks.tenant, webhook_id, { createdAt: at(n), ...fields }));
  }
  return { webhooks, webhook_id, made };
}

describe("one event", () => {
  test.each(["delivered", "failed", "pending"])("that is %s is sent again, and no other", async (status) => {
    const { webhooks, made } = await withDeliveries(2, { status, attempts: 3 });
    const [again, other] = made;
    const answer = await webhooks.json("deliveries/redeliver", { event_id: again?.event_id });
    expect(answer).toEqual({ redelivered: 1, next_page_token: "" });
    expect(await isSentAgain(webhooks, again?.delivery_id ?? "")).toBe(true);
    expect(await isSentAgain(webhooks, other?.delivery_id ?? "")).toBe(false);
  });

  test("is sent to all enabled webhooks that it was for, or to the one that is named", async () => {
    const { webhooks, webhook_id, made } = await withDeliveries(2);
    const [forOne = "", forAll = ""] = made.map(({ event_id }) => event_id);
    const others = [await webhooks.create(), await webhooks.create()];
    for (const { webhook_id: webhookId } of others) {
      const kind = { type: "api_key.revoked", status: "failed", attempts: 1, createdAt: AT } as const;
      for (const eventId of [forOne, forAll])
        await storeAnother(latchkey.database, webhooks.tenant, { webhookId, eventId, deliveryId: newId("whd") }, kind);
    }
    const disabled = { webhook_id: others[0]?.webhook_id, status: "WEBHOOK_STATUS_DISABLED", update_mask: "status" };
    await webhooks.json("update", disabled);
    const redeliver = async (body: object) => (await webhooks.json("deliveries/redeliver", body)).redelivered;
    expect(await redeliver({ event_id: forOne, webhook_id })).toBe(1);
    expect(await redeliver({ event_id: forAll })).toBe(2);
  });

  test("that is being sent is left to that attempt", async () => {
    const { webhooks, made } = await withDeliveries(1, { status: "pending" });
    const [one] = made;
    await latchkey.database.db
      .updateTable("webhook_deliveries")
      .set({ lease_token: "x", lease_until: new Date("2100-01-01T00:00:00Z") })
      .where("tenant_id", "=", webhooks.tenant)
      .execute();
    expect((await webhooks.json("deliveries/redeliver", { event_id: one?.event_id })).redelivered).toBe(0);
  });
});

describe("all events of a webhook", () => {
  test("since an instant are sent again, those before it are not", async () => {
    const { webhooks, webhook_id, made } = await withDeliveries(4);
    const answer = await webhooks.json("deliveries/redeliver", { webhook_id, since: at(2).toISOString() });
    expect(answer).toEqual({ redelivered: 2, next_page_token: "" });
    const again = await Promise.all(made.map(({ delivery_id }) => isSentAgain(webhooks, delivery_id)));
    expect(again).toEqual([false, false, true, true]);
  });

  test("that have failed are the only ones sent again, if that is asked for", async () => {
    const { webhooks, webhook_id } = await withDeliveries(2);
    const { delivery_id } = await storeDelivery(latchkey, webhooks.tenant, webhook_id, { status: "failed" });
    const body = { webhook_id, since: AT.toISOString(), only_failed: true };
    expect((await webhooks.json("deliveries/redeliver", body)).redelivered).toBe(1);
    expect(await isSentAgain(webhooks, delivery_id)).toBe(true);
    expect((await webhooks.json("deliveries/redeliver", body)).redelivered).toBe(0);
  });

  test("are sent again 1,000 in a call, the oldest first", async () => {
    const { webhooks, webhook_id } = await withDeliveries(1);
    const { db } = latchkey.database;
    await db
      .insertInto("webhook_events")
      .columns(["event_id", "tenant_id", "type", "subject", "source", "at", "prepared_at"])
      .expression(
        sql`select ${webhooks.tenant} || n, ${webhooks.tenant}, 'api_key.revoked', 'key_1', '{}'::jsonb, ${AT}::timestamptz, ${AT}::timestamptz
          from generate_series(1, 1004) as n`,
      )
      .execute();
    await sql`
      insert into webhook_deliveries (delivery_id, event_id, webhook_id, tenant_id, type, status, created_at)
      select 'whd_' || event_id, event_id, ${webhook_id}, tenant_id, type, 'failed', at
      from webhook_events where tenant_id = ${webhooks.tenant} and event_id like 'ten%'`.execute(db);
    const body = { webhook_id, since: AT.toISOString() };
    const first = await webhooks.json("deliveries/redeliver", body);
    expect(first).toEqual({ redelivered: 1_000, next_page_token: expect.stringMatching(/\w/) });
    const rest = await webhooks.json("deliveries/redeliver", { ...body, page_token: first.next_page_token });
    expect(rest).toEqual({ redelivered: 5, next_page_token: "" });
  });
});
