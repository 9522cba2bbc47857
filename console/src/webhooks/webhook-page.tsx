import "../styles/webhooks.css";
import { useQuery } from "@connectrpc/connect-query";
import { useParams } from "wouter";
import { type Webhook, WebhookStatus } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Loading, Notice, Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { WebhookBadge } from "./badges.tsx";
import { Deliveries } from "./deliveries.tsx";
import { ALL } from "./event-types.ts";
import { WebhookActions } from "./webhook-actions.tsx";

/** One endpoint, with what was sent to it. */
export function WebhookPage() {
  const { webhookId = "" } = useParams<{ webhookId: string }>();
  const { may } = useCaller();
  const { data, error, refetch } = useQuery(WebhookService.method.getWebhook, { webhookId });
  const webhook = data?.result;
  return (
    <>
      {error !== null && <Problem error={error} retry={refetch} />}
      {webhook === undefined && error === null && <Loading what="the endpoint" />}
      {webhook !== undefined && (
        <>
          <PageHeader
            title={webhook.url}
            badge={<WebhookBadge webhook={webhook} />}
            back={{ href: "/webhooks", label: "Webhooks" }}
          />
          <Trouble webhook={webhook} />
          <Facts webhook={webhook} />
          {may("webhooks:write") && <WebhookActions webhook={webhook} />}
          <Deliveries webhook={webhook} />
        </>
      )}
    </>
  );
}

function Trouble({ webhook: { status, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (status === WebhookStatus.DISABLED && disabledReason !== "requested") {
    return (
      <Notice kind="bad">
        <p>
          {disabledReason === "gone"
            ? "The endpoint answered 410, so nothing is sent to it any more."
            : "No event was delivered for five days, so nothing is sent to it any more."}{" "}
          Enable it when it works again, and send again what it has missed.
        </p>
      </Notice>
    );
  }
  if (failingSince === undefined) return null;
  return (
    <Notice kind="warn">
      <p>
        Every attempt has failed since <Time at={failingSince} />. After five days the endpoint is disabled.
      </p>
    </Notice>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { webhookId, events, description, createdAt, createdBy, previousSecretUntil } = webhook;
  return (
    <dl className="facts">
      <dt>Events</dt>
      <dd>{events.includes(ALL) ? "All" : events.join(", ")}</dd>
      {description !== "" && <dt>Description</dt>}
      {description !== "" && <dd>{description}</dd>}
      {previousSecretUntil !== undefined && <dt>Old secret signs, too, until</dt>}
      {previousSecretUntil !== undefined && (
        <dd>
          <Time at={previousSecretUntil} />
        </dd>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={createdAt} /> {createdBy && `by ${createdBy.userId || createdBy.keyId || createdBy.kind}`}
      </dd>
      <dt>Identifier</dt>
      <dd className="mono">{webhookId}</dd>
    </dl>
  );
}
