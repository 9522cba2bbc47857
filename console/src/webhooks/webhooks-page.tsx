import "../styles/webhooks.css";
import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Webhook } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Plus } from "../ui/icons.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { WebhookBadge } from "./badges.tsx";
import { ALL } from "./event-types.ts";
import { NewWebhook } from "./new-webhook.tsx";

/** The organization's endpoints for events. */
export function WebhooksPage() {
  const { may } = useCaller();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(WebhookService.method.listWebhooks, {});
  const webhooks = data?.webhooks ?? [];
  return (
    <>
      <PageHeader title="Webhooks">
        {may("webhooks:write") && (
          <Button look="main" onClick={() => setAdding(true)}>
            <Plus />
            Add an endpoint
          </Button>
        )}
      </PageHeader>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="endpoints" />}
      {data !== undefined && webhooks.length === 0 && (
        <EmptyState title="No endpoint yet">
          <p>
            Your endpoints learn of what happens here, such as a key that was revoked or will expire soon, by a signed
            request.
          </p>
        </EmptyState>
      )}
      {webhooks.length > 0 && <Endpoints webhooks={webhooks} />}
      {isAdding && <NewWebhook onClose={() => setAdding(false)} />}
    </>
  );
}

function Endpoints({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <ScrollRegion label="Endpoints">
      <table aria-label="Endpoints">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">Events</th>
            <th scope="col">Status</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.webhookId}>
              <th scope="row">
                <div className="webhook-url">
                  <Link href={`/webhooks/${webhook.webhookId}`}>{webhook.url}</Link>
                  {webhook.description !== "" && <bdi className="quiet">{webhook.description}</bdi>}
                </div>
              </th>
              <td>{eventsOf(webhook)}</td>
              <td>
                <WebhookBadge webhook={webhook} />
              </td>
              <td>
                <Time at={webhook.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function eventsOf({ events }: Webhook): string {
  const [first = "", ...others] = events;
  if (first === ALL) return "All";
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
