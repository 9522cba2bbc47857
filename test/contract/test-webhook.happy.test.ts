// promise: webhooks.test
import { describe, expect, test } from "vitest";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const { receiver } = latchkey;

/** Has the receiver answer events of this webhook so, and tests it. */
async function tested(status: number, answer: string) {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create({ url: receiver.url, events: ["run.failed"] });
  receiver.respond = (_req, res, { body }) => {
    if (body.includes(webhook_id)) res.writeHead(status).end(answer);
    else res.writeHead(204).end();
  };
  const { result } = await webhooks.json("test", { webhook_id });
  return { webhooks, webhook_id, result };
}

describe("a test", () => {
  test("sends webhook.test at once, whatever the webhook is for, and returns the answer", async () => {
    const { webhooks, webhook_id, result } = await tested(202, "thanks");
    expect(result).toMatchObject({ delivered: true, status: 202, error: "", answer: "thanks" });
    expect(result.duration_ms).toBeGreaterThanOrEqual(0);
    const received = receiver.received.find(({ id }) => id === result.event_id);
    expect(received?.body).toBe(result.body);
    expect(JSON.parse(result.body)).toEqual({
      type: "webhook.test",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { webhook_id },
    });
    expect((await webhooks.json("deliveries/list", {})).deliveries).toEqual([]);
  });

  test.each([302, 410, 500])(
    "that is answered %i is not delivered, and changes nothing of the webhook",
    async (status) => {
      const { webhooks, webhook_id, result } = await tested(status, "no");
      expect(result).toMatchObject({ delivered: false, status, answer: "no" });
      expect((await webhooks.json("get", { webhook_id })).result).toMatchObject({ status: "WEBHOOK_STATUS_ENABLED" });
    },
  );

  test("returns the first 1,024 bytes of the answer", async () => {
    const { result } = await tested(200, "x".repeat(2_000));
    expect(result.answer).toBe("x".repeat(1_024));
  });

  test("without an answer says why", async () => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create({ url: receiver.url });
    receiver.respond = (req, res) => (req.url === "/hooks" ? req.socket.destroy() : res.end());
    const { result } = await webhooks.json("test", { webhook_id });
    receiver.respond = (_req, res) => void res.writeHead(204).end();
    expect(result).toMatchObject({ delivered: false, status: 0, answer: "" });
    expect(result.error).toMatch(/\w/);
  });

  test("is possible while the webhook is disabled", async () => {
    const { webhooks, webhook_id } = await tested(204, "");
    await webhooks.json("update", { webhook_id, status: "WEBHOOK_STATUS_DISABLED", update_mask: "status" });
    expect((await webhooks.json("test", { webhook_id })).result.delivered).toBe(true);
  });
});
