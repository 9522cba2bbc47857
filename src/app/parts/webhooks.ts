import { WebhookService } from "../../../gen/latchkey/v1/webhook_service_pb.ts";
import { createWebhookService } from "../../services/webhook-service.ts";
import { createWebhookStore } from "../../store/sql/webhooks/webhook-store.ts";
import { createSecretSealer } from "../../store/webhooks/secret-sealer.ts";
import { createWebhookSender } from "../../store/webhooks/sender.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";
import { startWebhooks } from "../webhooks.ts";

/** Webhooks and their deliveries. */
export function openWebhooks(ctx: PartContext): Part {
  const { config, secrets, options, clock, life, storage } = ctx;
  const { webhookAllowedHosts } = config;
  const sealer = createSecretSealer(() => secrets.now.accessTokens?.secrets ?? []);
  const webhooks = createWebhookStore(storage.database, sealer, options.clock);
  const webhookSender = createWebhookSender({ clock, allowedHosts: webhookAllowedHosts });
  life.onClose(webhookSender.close);
  const workers = startWebhooks(ctx, webhookSender, sealer);
  const service = createWebhookService({
    webhooks,
    calls: storage.calls,
    webhookSender,
    webhookAllowedHosts,
    wakeDeliveries: workers.wake,
    clock,
  });
  return { services: [mounted(WebhookService, service)], removals: workers.removals, onHint: workers.onHint };
}
