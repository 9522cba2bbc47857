// promise: delivery.same-body
import { describe, expect, test } from "vitest";
import { sharedWithWebhooks, storeDelivery, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const AT = new Date("2026-01-31T12:00:00.123Z");

/** A tenant with a delivery of each kind: ids from the newest to the oldest. */
async function filled() {
  const webhooks = webhooksOf(latchkey);
  const [one, two] = [await webhooks.create(), await webhooks.create()];
  const store = (webhookId: string, seconds: number, fields: object = {}) =>
    storeDelivery(latchkey, webhooks.tenant, webhookId, {
      createdAt: new Date(AT.getTime() + seconds * 1_000),
      ...fields,
    });
  const made = [
    await store(one.webhook_id, 0),
    await store(one.webhook_id, 1, { status: "failed", attempts: 10 }),
    await store(two.webhook_id, 2, { status: "pending", attempts: 2, type: "api_key.created" }),
    await store(two.webhook_id, 2, { status: "pending", attempts: 0, body: null }),
  ];
  const newestFirst = made.toReversed();
  const list = async (body: object) => {
    const { deliveries } = await webhooks.json("deliveries/list", body);
    return deliveries.map(({ delivery_id }: { delivery_id: string }) =>
      newestFirst.findIndex((each) => each.delivery_id === delivery_id),
    );
  };
  return { webhooks, one, two, made, list };
}

describe("deliveries are listed", () => {
  test("newest first, each with its last attempt and its next one", async () => {
    const { webhooks, one, two, made } = await filled();
    const { deliveries, next_page_token } = await webhooks.json("deliveries/list", {});
    expect(next_page_token).toBe("");
    const attempted = { last_duration_ms: 12, last_error: "" };
    expect(deliveries).toEqual([
      {
        ...made[3],
        ...{ webhook_id: two.webhook_id, type: "api_key.revoked", status: "WEBHOOK_DELIVERY_STATUS_PENDING" },
        ...{ attempts: 0, created_at: "2026-01-31T12:00:02.123Z", next_attempt_at: "2100-01-01T00:00:00Z" },
        ...{ last_status: 0, last_duration_ms: 0, last_error: "", last_answer: "" },
      },
      {
        ...made[2],
        ...{ webhook_id: two.webhook_id, type: "api_key.created", status: "WEBHOOK_DELIVERY_STATUS_PENDING" },
        ...{ attempts: 2, created_at: "2026-01-31T12:00:02.123Z", next_attempt_at: "2100-01-01T00:00:00Z" },
        ...{ ...attempted, last_attempt_at: "2026-01-31T12:00:02.123Z", last_status: 503, last_answer: "busy" },
      },
      {
        ...made[1],
        ...{ webhook_id: one.webhook_id, type: "api_key.revoked", status: "WEBHOOK_DELIVERY_STATUS_FAILED" },
        ...{ attempts: 10, created_at: "2026-01-31T12:00:01.123Z" },
        ...{ ...attempted, last_attempt_at: "2026-01-31T12:00:01.123Z", last_status: 503, last_answer: "busy" },
      },
      {
        ...made[0],
        ...{ webhook_id: one.webhook_id, type: "api_key.revoked", status: "WEBHOOK_DELIVERY_STATUS_DELIVERED" },
        ...{ attempts: 1, created_at: "2026-01-31T12:00:00.123Z", delivered_at: "2026-01-31T12:00:00.123Z" },
        ...{ ...attempted, last_attempt_at: "2026-01-31T12:00:00.123Z", last_status: 204, last_answer: "" },
      },
    ]);
  });

  test("by webhook, event, type and status", async () => {
    const { one, two, made, list } = await filled();
    expect(await list({ webhook_id: one.webhook_id })).toEqual([2, 3]);
    expect(await list({ event_id: made[2]?.event_id })).toEqual([1]);
    expect(await list({ type: "api_key.created" })).toEqual([1]);
    expect(await list({ status: "WEBHOOK_DELIVERY_STATUS_PENDING" })).toEqual([0, 1]);
    expect(await list({ webhook_id: one.webhook_id, status: "WEBHOOK_DELIVERY_STATUS_FAILED" })).toEqual([2]);
    expect(await list({ webhook_id: two.webhook_id, status: "WEBHOOK_DELIVERY_STATUS_FAILED" })).toEqual([]);
  });

  test("in pages, which skip and repeat none", async () => {
    const { webhooks } = await filled();
    const seen: string[] = [];
    let page_token = "";
    do {
      const page = await webhooks.json("deliveries/list", { page_token, per_page: 1 });
      expect(page.deliveries).toHaveLength(1);
      seen.push(page.deliveries[0].delivery_id);
      page_token = page.next_page_token;
    } while (page_token !== "");
    const { deliveries } = await webhooks.json("deliveries/list", {});
    expect(seen).toEqual(deliveries.map(({ delivery_id }: { delivery_id: string }) => delivery_id));
  });

  test("with the body as it is sent, byte for byte, if that is asked for", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    const body = '{"type" : "api_key.revoked","data":{"name":"😀\\u0000 "}}';
    await storeDelivery(latchkey, webhooks.tenant, webhook_id, { body });
    await storeDelivery(latchkey, webhooks.tenant, webhook_id, { body: null, status: "pending", attempts: 0 });
    const { deliveries } = await webhooks.json("deliveries/list", { include_body: true });
    expect(deliveries[1].body).toBe(body);
    expect(deliveries[0]).not.toHaveProperty("body");
  });

  test("at most 20 at a time with bodies, and 100 without", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    for (let n = 0; n < 25; n++) await storeDelivery(latchkey, webhooks.tenant, webhook_id);
    const listed = (body: object) => webhooks.json("deliveries/list", { per_page: 1_000, ...body });
    expect((await listed({ include_body: true })).deliveries).toHaveLength(20);
    expect((await listed({})).deliveries).toHaveLength(25);
  });
});
