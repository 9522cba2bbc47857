import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";

/** Loads again what is shown about webhooks and their deliveries. Resolves when it is there. */
export function useRefreshWebhooks(): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({ queryKey: createConnectQueryKey({ schema: WebhookService, cardinality: undefined }) });
}
