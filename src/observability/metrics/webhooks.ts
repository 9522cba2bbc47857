import type { Logger } from "pino";
import { Counter, Gauge, type Registry } from "prom-client";
import { repeat } from "../../concurrency/repeat.ts";
import type { ClaimedDelivery, Outbox } from "../../domain/webhooks/outbox.ts";
import type { AttemptOutcome } from "../../domain/webhooks/retry.ts";
import type { WebhookAnswer } from "../../domain/webhooks/sender.ts";

/** How often the backlog is counted. Not at each scrape: scrapes need no credentials, and must not wait for PostgreSQL. */
const COUNT_MS = 15_000;

/** Counts attempts, and logs webhooks that they disable. Neither has the URL, which may hold a credential. */
export function createWebhookReport(log: Logger, metrics: Registry) {
  const attempts = new Counter({
    name: "latchkey_webhook_deliveries_total",
    help: "Attempts of this process to deliver events to webhooks, by what became of them.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  for (const outcome of ["delivered", "retried", "failed"]) attempts.inc({ outcome }, 0);
  return {
    onAttempt({ tenantId, webhookId }: ClaimedDelivery, { status }: WebhookAnswer, outcome: AttemptOutcome): void {
      attempts.inc({ outcome: outcome.kind });
      const disabled = outcome.kind === "failed" ? outcome.disabled : null;
      if (disabled === null) return;
      log.warn({ tenant_id: tenantId, webhook_id: webhookId, reason: disabled, status }, "a webhook is disabled");
    },
  };
}

export interface WebhookBacklogContext {
  readonly outbox: Pick<Outbox, "countBacklog">;
  readonly metrics: Registry;
  /** Reports that the backlog could not be counted. */
  readonly onFault: (err: unknown) => void;
  /** Ms between two counts. Default 15,000. */
  readonly countMs?: number | undefined;
}

/** As of runs: while it cannot be counted there is no value. */
export function reportWebhookBacklog({ outbox, metrics, onFault, countMs = COUNT_MS }: WebhookBacklogContext): {
  close(): void;
} {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics] });
  const oldest = gauge(
    "latchkey_webhook_oldest_pending_seconds",
    "How long the oldest event has been due, of all replicas, without endpoints that fail. 0: none is.",
  );
  const disabled = gauge("latchkey_webhooks_disabled", "Webhooks disabled because their endpoints fail or are gone.");

  const count = async (): Promise<void> => {
    const backlog = await outbox.countBacklog();
    oldest.set(backlog.oldestSeconds);
    disabled.set(backlog.disabled);
  };
  const loop = repeat(count, {
    pollMs: countMs,
    onFault(err) {
      oldest.remove();
      disabled.remove();
      onFault(err);
    },
  });
  return { close: () => void loop.stop() };
}
