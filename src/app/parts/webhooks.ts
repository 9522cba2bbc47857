import { WebhookService } from "../../../gen/latchkey/v1/webhook_service_pb.ts";
import type { WebhookSender } from "../../domain/webhooks/sender.ts";
import { createWebhookReport, reportWebhookBacklog } from "../../observability/metrics/webhooks.ts";
import { createPrepare } from "../../services/webhook-events.ts";
import { createWebhookService } from "../../services/webhook-service.ts";
import { createKeyPolicies } from "../../store/sql/keys/key-policies.ts";
import { createKeyLifecycle } from "../../store/sql/webhooks/key-lifecycle.ts";
import { createOutbox } from "../../store/sql/webhooks/outbox.ts";
import { createSealingPass } from "../../store/sql/webhooks/unsealed-secrets.ts";
import { createWebhookStore } from "../../store/sql/webhooks/webhook-store.ts";
import { createSecretSealer, type SecretSealer } from "../../store/webhooks/secret-sealer.ts";
import { createWebhookSender } from "../../store/webhooks/sender.ts";
import { startKeyLifecycleLoop } from "../../workers/key-lifecycle-loop.ts";
import { startWebhookLoop } from "../../workers/webhook-loop.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

const POLL_MS = 1_000;
const LIFECYCLE_POLL_MS = 5_000;
const UNREADABLE =
  "TOKEN_SECRET does not decrypt the secret of a webhook: set the secret that it was encrypted with, or have its tenant rotate it; until then it gets no events";
/** Events and their deliveries are kept for so many days. */
const KEPT_DAYS = 30;

/** Webhooks and their deliveries. */
export function openWebhooks(ctx: PartContext): Part {
  const { config, secrets, options, clock, life, storage } = ctx;
  const { webhookAllowedHosts } = config;
  const sealer = createSecretSealer(() => secrets.now.accessTokens?.secrets ?? []);
  const webhooks = createWebhookStore(storage.database, sealer, options.clock);
  const webhookSender = createWebhookSender({ clock, allowedHosts: webhookAllowedHosts });
  life.onClose(webhookSender.close);
  const { wake, ...background } = startWorkers(ctx, webhookSender, sealer);
  const service = createWebhookService({
    webhooks,
    calls: storage.calls,
    webhookSender,
    webhookAllowedHosts,
    wakeDeliveries: wake,
    clock,
  });
  return { services: [mounted(WebhookService, service)], ...background };
}

/** What the RPCs need of the workers. */
interface Workers extends Required<Pick<Part, "removals" | "onHint">> {
  /** Looks for deliveries now. */
  wake(): void;
}

/** Starts the workers that send events to webhooks, and those that find what happens to keys by themselves. */
function startWorkers(ctx: PartContext, sender: WebhookSender, sealer: SecretSealer): Workers {
  const { config, options, life, watch, storage } = ctx;
  const { database, logFailure } = storage;
  const { conditions } = watch;
  const { catalogue } = config.access;
  const outbox = createOutbox(database, sealer, options.clock);
  const lifecycle = createKeyLifecycle(database, options.clock);
  const loop = startWebhookLoop({
    outbox,
    sender,
    prepare: createPrepare({
      keys: storage.keys,
      orgs: storage.orgs,
      policies: createKeyPolicies(database),
      catalogue,
      tenantKeysMax: config.tenantKeysMax,
      keyClock: storage.keyClock,
    }),
    clock: storage.keyClock,
    pollMs: options.webhookPollMs ?? POLL_MS,
    leaseMs: options.webhookLeaseMs,
    ...createWebhookReport(watch.log, watch.metrics),
    onFault: logFailure("webhooks could not be sent: it is tried again"),
  });
  const lifecycleLoop = startKeyLifecycleLoop({
    lifecycle,
    pollMs: options.webhookPollMs ?? LIFECYCLE_POLL_MS,
    onWritten: loop.wake,
    onFault: logFailure("keys could not be looked through for webhooks: it is tried again"),
  });
  const backlog = reportWebhookBacklog({
    outbox,
    metrics: watch.metrics,
    onFault: logFailure("webhooks could not be counted"),
  });
  life.onStop(async () => {
    backlog.close();
    await Promise.all([lifecycleLoop.stop(), loop.stop()]);
  });
  return {
    wake: loop.wake,
    onHint(hint) {
      if (hint.kind === "webhooks") loop.wake();
    },
    removals: [
      () => outbox.failDisabled(),
      () => outbox.removeOld(KEPT_DAYS),
      () => lifecycle.removeOld(),
      createSealingPass(database, sealer, (webhook_id) => conditions.error(UNREADABLE, undefined, { webhook_id })),
    ],
  };
}
