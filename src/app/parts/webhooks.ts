import { WebhookService } from "../../../gen/latchkey/v1/webhook_service_pb.ts";
import { createWebhookService } from "../../services/webhook-service.ts";
import { createWebhookStore } from "../../store/sql/webhooks/webhook-store.ts";
import { createWebhookSender } from "../../store/webhooks/sender.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Webhooks and their deliveries. */
export function openWebhooks({ config, options, clock, life, storage }: PartContext): Part {
  const { webhookAllowedHosts } = config;
  const webhooks = createWebhookStore(storage.database, options.clock);
  const webhookSender = createWebhookSender({ clock, allowedHosts: webhookAllowedHosts });
  life.onClose(webhookSender.close);
  const wakeDeliveries = (): void => {};
  const service = createWebhookService({ webhooks, webhookSender, webhookAllowedHosts, wakeDeliveries, clock });
  return { services: [mounted(WebhookService, service)] };
}
