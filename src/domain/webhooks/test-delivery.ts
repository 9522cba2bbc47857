import type { Clock } from "../vocabulary/clock.ts";
import { newId } from "../vocabulary/ids.ts";
import { TEST_TYPE } from "./event-types.ts";
import { getWebhook, webhookNotFound } from "./read.ts";
import type { WebhookAnswer, WebhookSender } from "./sender.ts";
import { signingSecrets } from "./signature.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface TestWebhookContext {
  readonly webhooks: Pick<WebhookStore, "findWebhook" | "findSecrets">;
  readonly webhookSender: WebhookSender;
  readonly clock: Clock;
}

/** What was sent, and what came back. */
export interface WebhookTest extends WebhookAnswer {
  readonly eventId: string;
  readonly body: string;
}

/** Sends an event to a webhook at once, also to a disabled one. It is tried once, and nothing of it is kept. */
export async function testWebhook(ctx: TestWebhookContext, tenantId: string, webhookId: string): Promise<WebhookTest> {
  const { url } = await getWebhook(ctx, tenantId, webhookId);
  const secrets = await ctx.webhooks.findSecrets(tenantId, webhookId);
  if (secrets === undefined) throw webhookNotFound();
  const now = ctx.clock();
  const eventId = newId("evt");
  const body = JSON.stringify({ type: TEST_TYPE, timestamp: now.toISOString(), data: { webhook_id: webhookId } });
  const request = { tenantId, url, body, eventId, secrets: signingSecrets(secrets, now) };
  return { ...(await ctx.webhookSender.send(request)), eventId, body };
}
