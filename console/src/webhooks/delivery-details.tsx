import { useQuery } from "@connectrpc/connect-query";
import type { WebhookDelivery } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

/** One delivery with the body as it was sent, and the last answer. */
export function DeliveryDetails({ delivery: { eventId, webhookId, deliveryId } }: { delivery: WebhookDelivery }) {
  const request = { eventId, webhookId, includeBody: true };
  const { data, error } = useQuery(WebhookService.method.listWebhookDeliveries, request);
  const delivery = data?.deliveries.find((each) => each.deliveryId === deliveryId);
  if (error !== null) return <Problem error={error} />;
  if (delivery === undefined) return <Loading what="the delivery" />;
  const { body, attempts, lastAttemptAt, lastStatus, lastDurationMs, lastError, lastAnswer } = delivery;
  return (
    <>
      <dl className="facts">
        <dt>Event</dt>
        <dd className="mono">{eventId}</dd>
        <dt>Attempts</dt>
        <dd>{attempts}</dd>
        <dt>Last attempt</dt>
        <dd>
          <Time at={lastAttemptAt} />
          {lastAttemptAt && ` in ${lastDurationMs} ms: ${lastStatus === 0 ? lastError : lastStatus}`}
        </dd>
        <dt>Next attempt</dt>
        <dd>
          <Time at={delivery.nextAttemptAt} absent="none" />
        </dd>
      </dl>
      <div className="webhook-part">
        <h3>Body as it was sent</h3>
        {body === undefined ? <p className="quiet">It is not prepared yet.</p> : <Body text={body} />}
      </div>
      <div className="webhook-part">
        <h3>Last answer</h3>
        {lastAnswer === "" ? (
          <p className="quiet">None, or without a body.</p>
        ) : (
          <pre className="webhook-body">{lastAnswer}</pre>
        )}
      </div>
    </>
  );
}

function Body({ text }: { text: string }) {
  return (
    <>
      <pre className="webhook-body" data-testid="body">
        {text}
      </pre>
      <div className="actions">
        <CopyButton text={text} label="Copy body" />
      </div>
    </>
  );
}
