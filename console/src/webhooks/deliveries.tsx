import { useMutation, useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Webhook,
  type WebhookDelivery,
  WebhookDeliveryStatus,
} from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Choice } from "../ui/field.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { DeliveryBadge } from "./badges.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { RedeliverMissed } from "./redeliver-missed.tsx";
import { useRefreshWebhooks } from "./webhook-queries.ts";

const STATUSES = [
  { value: "", label: "All" },
  { value: "pending", label: "Pending" },
  { value: "delivered", label: "Delivered" },
  { value: "failed", label: "Failed" },
] as const;
type Chosen = (typeof STATUSES)[number]["value"];

const VALUES: Record<Chosen, WebhookDeliveryStatus> = {
  "": WebhookDeliveryStatus.UNSPECIFIED,
  pending: WebhookDeliveryStatus.PENDING,
  delivered: WebhookDeliveryStatus.DELIVERED,
  failed: WebhookDeliveryStatus.FAILED,
};

/** How often the page looks for the end of what is pending. */
const PENDING_MS = 3_000;

/** What was sent to an endpoint within 30 days, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { webhookId } = webhook;
  const { may } = useCaller();
  const [chosen, setChosen] = useState<Chosen>("");
  const [pageToken, setPageToken] = useState("");
  const [isSendingMissed, setSendingMissed] = useState(false);
  const { data, error, refetch, isPlaceholderData } = useQuery(
    WebhookService.method.listWebhookDeliveries,
    { webhookId, status: VALUES[chosen], pageToken },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.deliveries.some(isPending) ? PENDING_MS : false),
    },
  );
  const deliveries = data?.deliveries ?? [];
  const choose = (status: Chosen): void => {
    setChosen(status);
    setPageToken("");
  };
  return (
    <section className="section" aria-label="Deliveries" aria-busy={isPlaceholderData}>
      <div className="heading">
        <h2>Deliveries</h2>
        {may("webhooks:write") && <Button onClick={() => setSendingMissed(true)}>Send again since…</Button>}
      </div>
      <div className="webhook-filter">
        <Choice label="Status" value={chosen} choices={STATUSES} onChange={choose} />
      </div>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="deliveries" />}
      {data !== undefined && deliveries.length === 0 && (
        <EmptyState title="No delivery">
          <p>What happens from now on is sent, and listed here for 30 days.</p>
        </EmptyState>
      )}
      {deliveries.length > 0 && <Rows deliveries={deliveries} />}
      <Paging pageToken={pageToken} next={data?.nextPageToken ?? ""} onPage={setPageToken} />
      {isSendingMissed && <RedeliverMissed webhook={webhook} onClose={() => setSendingMissed(false)} />}
    </section>
  );
}

function isPending({ status }: WebhookDelivery): boolean {
  return status === WebhookDeliveryStatus.PENDING;
}

function Rows({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const { may } = useCaller();
  const [shown, setShown] = useState<WebhookDelivery>();
  const refresh = useRefreshWebhooks();
  const { mutate, error } = useMutation(WebhookService.method.redeliverWebhookEvents, { onSuccess: refresh });
  return (
    <>
      {error !== null && <Problem error={error} />}
      <ScrollRegion label="Table of deliveries">
        <table aria-label="Deliveries">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Created</th>
              <th scope="col">Status</th>
              <th scope="col">Attempts</th>
              <th scope="col">Last answer</th>
              <th scope="col">Next attempt</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr key={delivery.deliveryId}>
                <th scope="row">{delivery.type}</th>
                <td>
                  <Time at={delivery.createdAt} />
                </td>
                <td>
                  <DeliveryBadge delivery={delivery} />
                </td>
                <td>{delivery.attempts}</td>
                <td>{lastAnswer(delivery)}</td>
                <td>
                  <Time at={delivery.nextAttemptAt} absent="none" />
                </td>
                <td className="row-actions">
                  <Button aria-label={`Details of ${delivery.eventId}`} onClick={() => setShown(delivery)}>
                    Details
                  </Button>
                  {may("webhooks:write") && (
                    <Button
                      aria-label={`Redeliver ${delivery.eventId}`}
                      onClick={() => mutate({ eventId: delivery.eventId, webhookId: delivery.webhookId })}
                    >
                      Redeliver
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {shown !== undefined && (
        <Dialog title={shown.type} open onClose={() => setShown(undefined)}>
          <DeliveryDetails delivery={shown} />
          <div className="actions">
            <Button look="main" onClick={() => setShown(undefined)}>
              Close
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function lastAnswer({ lastAttemptAt, lastStatus, lastDurationMs, lastError }: WebhookDelivery): string {
  if (lastAttemptAt === undefined) return "";
  return `${lastStatus === 0 ? lastError : lastStatus}, ${lastDurationMs} ms`;
}

interface PagingProps {
  readonly pageToken: string;
  readonly next: string;
  readonly onPage: (pageToken: string) => void;
}

function Paging({ pageToken, next, onPage }: PagingProps) {
  if (pageToken === "" && next === "") return null;
  return (
    <nav className="pages" aria-label="Pages">
      <Button disabled={pageToken === ""} onClick={() => onPage("")}>
        Newest
      </Button>
      <Button disabled={next === ""} onClick={() => onPage(next)}>
        Older
      </Button>
    </nav>
  );
}
