import { Code, ConnectError } from "@connectrpc/connect";
import type { WebhookService } from "../../gen/latchkey/v1/webhook_service_pb.ts";
import type { UnaryImpl } from "../interceptors/call.ts";

export function createWebhookService(): UnaryImpl<typeof WebhookService> {
  const unimplemented = (): never => {
    throw new ConnectError("not served yet", Code.Unimplemented);
  };
  return {
    createWebhook: unimplemented,
    listWebhooks: unimplemented,
    getWebhook: unimplemented,
    updateWebhook: unimplemented,
    deleteWebhook: unimplemented,
    rotateWebhookSecret: unimplemented,
    testWebhook: unimplemented,
    listWebhookDeliveries: unimplemented,
    redeliverWebhookEvents: unimplemented,
  };
}
