import { WebhookService } from "../../../gen/latchkey/v1/webhook_service_pb.ts";
import { createWebhookService } from "../../services/webhook-service.ts";
import type { Part } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Webhooks and their deliveries. */
export function openWebhooks(): Part {
  return { services: [mounted(WebhookService, createWebhookService())] };
}
