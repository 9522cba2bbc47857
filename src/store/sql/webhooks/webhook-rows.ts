import type { Selectable, Updateable } from "kysely";
import type { WebhookSecrets } from "../../../domain/webhooks/signature.ts";
import type { Webhook } from "../../../domain/webhooks/webhook.ts";
import type { WebhookPatch } from "../../../domain/webhooks/webhook-store.ts";
import type { SecretPlace, SecretSealer } from "../../webhooks/secret-sealer.ts";
import type { Schema } from "../schema.ts";

/** All but the secrets, which only what signs reads. */
export const WEBHOOK_COLUMNS = [
  "webhook_id",
  "tenant_id",
  "url",
  "events",
  "description",
  "status",
  "disabled_reason",
  "created_at",
  "created_by",
  "failing_since",
  "previous_secret_until",
] as const;

type WebhookRow = Pick<Selectable<Schema["webhooks"]>, (typeof WEBHOOK_COLUMNS)[number]>;

export function webhookOf(row: WebhookRow): Webhook {
  return {
    webhookId: row.webhook_id,
    tenantId: row.tenant_id,
    url: row.url,
    events: row.events,
    description: row.description,
    status: row.status,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    createdBy: row.created_by,
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_secret_until,
  };
}

export const SECRET_COLUMNS = ["secret", "previous_secret", "previous_secret_until", "former_secrets"] as const;

type SecretColumns = Pick<Selectable<Schema["webhooks"]>, (typeof SECRET_COLUMNS)[number]>;

export function openedSecrets(sealer: SecretSealer, place: SecretPlace, row: SecretColumns): WebhookSecrets {
  const { secret, previous_secret: previous, previous_secret_until: previousSecretUntil } = row;
  return {
    secret: sealer.open(place, secret) ?? null,
    previousSecret: previous === null ? null : (sealer.open(place, previous) ?? null),
    previousSecretUntil,
    formerSecrets: row.former_secrets.map((former) => ({
      secret: sealer.open(place, former.secret) ?? null,
      until: new Date(former.untilMs),
    })),
  };
}

export function changedColumns(patch: WebhookPatch): Updateable<Schema["webhooks"]> {
  const { url, events, description, status, disabledReason, failingSince } = patch;
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
    ...(disabledReason !== undefined && { disabled_reason: disabledReason }),
    ...(failingSince !== undefined && { failing_since: failingSince }),
  };
}
