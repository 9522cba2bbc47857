// promise: webhooks.rotation, webhooks.audited
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { eventsOf, trail } from "../harness/audit.ts";
import { HOUR } from "../harness/test-clock.ts";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";
import type { Received } from "../webhooks/receiver.ts";

const latchkey = await sharedWithWebhooks();
const { receiver } = latchkey;

/** The event that a test of the webhook sends. */
async function sent(webhooks: ReturnType<typeof webhooksOf>, webhook_id: string) {
  const { result } = await webhooks.json("test", { webhook_id });
  const received = receiver.received.find(({ id }) => id === result.event_id);
  if (received === undefined) throw new Error("the receiver got no such event");
  return received;
}

/** Which of the secrets have signed a request, in the order of its signatures. */
function signersOf({ id, headers, body }: Received, secrets: readonly string[]) {
  const text = `${id}.${headers["webhook-timestamp"]}.${body}`;
  const signature = (secret: string) =>
    `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
      .update(text)
      .digest("base64")}`;
  const signatures = headers["webhook-signature"]?.split(" ") ?? [];
  return signatures.map((each) => secrets.find((secret) => signature(secret) === each));
}

test("for 24 hours the new and the old secret sign, then only the new one", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id, secret: old } = await webhooks.create({ url: receiver.url });
  const before = await sent(webhooks, webhook_id);
  const earliest = latchkey.clock.now().getTime();
  const { result, secret } = await webhooks.json("rotate-secret", { webhook_id });
  const until = Date.parse(result.previous_secret_until) - 24 * HOUR;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(until).toBeGreaterThanOrEqual(earliest);
  expect(until).toBeLessThanOrEqual(latchkey.clock.now().getTime());
  const during = await sent(webhooks, webhook_id);
  latchkey.clock.advance(24 * HOUR);
  const after = await sent(webhooks, webhook_id);
  expect(signersOf(before, [old, secret])).toEqual([old]);
  expect(signersOf(during, [old, secret])).toEqual([secret, old]);
  expect(signersOf(after, [old, secret])).toEqual([secret]);
});

test("of several rotations each secret signs for 24 hours from its own, and a rotation that would drop one is refused", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id, secret } = await webhooks.create({ url: receiver.url });
  const secrets: string[] = [secret];
  const rotate = async () => secrets.unshift((await webhooks.json("rotate-secret", { webhook_id })).secret);
  for (let n = 0; n < 4; n++) {
    await rotate();
    expect(signersOf(await sent(webhooks, webhook_id), secrets)).toEqual(secrets);
    latchkey.clock.advance(HOUR);
  }
  const refused = await webhooks.call("rotate-secret", { webhook_id });
  expect(refused.json).toMatchObject({ code: "failed_precondition", reason: "too_many_webhook_secrets" });
  expect(signersOf(await sent(webhooks, webhook_id), secrets)).toEqual(secrets);
  // The first rotation was 24 hours ago, then the second.
  latchkey.clock.advance(20 * HOUR);
  expect(signersOf(await sent(webhooks, webhook_id), secrets)).toEqual(secrets.slice(0, 4));
  await rotate();
  expect(signersOf(await sent(webhooks, webhook_id), secrets)).toEqual(secrets.slice(0, 5));
});

test("is in the audit trail, without a secret", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create();
  const { secret } = await webhooks.json("rotate-secret", { webhook_id });
  const events = await eventsOf(latchkey, webhooks.tenant);
  expect(trail(events)).toEqual([
    ["webhook.created", webhook_id],
    ["webhook.secret_rotated", webhook_id],
  ]);
  expect(JSON.stringify(events)).not.toContain(secret.slice(6, 20));
});
