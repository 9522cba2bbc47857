import { randomUUID } from "node:crypto";
import { type Repeated, repeat } from "../concurrency/repeat.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import type { ClaimedDelivery, Outbox, Prepared, RawEvent } from "../domain/webhooks/outbox.ts";
import { type AttemptOutcome, afterAttempt } from "../domain/webhooks/retry.ts";
import type { WebhookAnswer, WebhookSender } from "../domain/webhooks/sender.ts";

/** Longer than an attempt takes: a replica that dies leaves its attempts to the others after this. */
const LEASE_MS = 30_000;
/** Events that are prepared in one transaction. */
const PREPARED_AT_ONCE = 50;
/** Attempts of this process at once, and those of them at endpoints that fail. */
const SENT_AT_ONCE = 64;
const SENT_TO_FAILING_AT_ONCE = 32;
/** Time for attempts under way after the stop signal. Then they are handed over. */
const STOP_GRACE_MS = 5_000;

export interface WebhookLoopContext {
  readonly outbox: Pick<Outbox, "claimEvents" | "storePrepared" | "claimDeliveries" | "storeOutcome" | "release">;
  readonly sender: WebhookSender;
  /** Makes the bodies of an event. */
  readonly prepare: (raw: RawEvent) => Promise<Prepared>;
  readonly clock: Clock;
  /** How often to look for work without an announcement. */
  readonly pollMs: number;
  /** Default 30,000. For tests. */
  readonly leaseMs?: number | undefined;
  /** Reports an attempt, for logs and metrics only. */
  readonly onAttempt: (delivery: ClaimedDelivery, answer: WebhookAnswer, outcome: AttemptOutcome) => void;
  /** Reports that the outbox could not be reached, or a bug. */
  readonly onFault: (err: unknown) => void;
}

/**
 * The worker of webhooks: makes bodies of what happened, and sends them. Both go on by themselves, so that a flood of events delays no
 * delivery of those before. It runs on every replica, and needs no state but the tables'. Once it stops,
 * attempts under way may end within 5 s, then they are handed over.
 */
export function startWebhookLoop(ctx: WebhookLoopContext): Repeated {
  const deliveries = startDeliveries(ctx);
  const events = startEvents(ctx, deliveries.wake);
  let stopped: Promise<unknown> | undefined;
  return {
    wake() {
      events.wake();
      deliveries.wake();
    },
    async stop() {
      stopped ??= Promise.all([events.stop(), deliveries.stop()]);
      await stopped;
    },
  };
}

function startEvents(
  { outbox, prepare, pollMs, leaseMs = LEASE_MS, onFault }: WebhookLoopContext,
  onPrepared: () => void,
) {
  const prepareSome = async (): Promise<void> => {
    const token = randomUUID();
    const claimed = await outbox.claimEvents({ token, leaseMs }, PREPARED_AT_ONCE);
    if (claimed.length === 0) return;
    if ((await outbox.storePrepared(token, await prepareAll(claimed, prepare, onFault))) > 0) onPrepared();
    // There may be more.
    loop.wake();
  };
  const loop = repeat(prepareSome, { pollMs, onFault });
  return loop;
}

/** An event that cannot be prepared now is left to its lease, and holds up no other. */
async function prepareAll(
  claimed: readonly RawEvent[],
  prepare: WebhookLoopContext["prepare"],
  onFault: WebhookLoopContext["onFault"],
): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  for (const raw of claimed) {
    try {
      prepared.push(await prepare(raw));
    } catch (err) {
      onFault(err);
    }
  }
  return prepared;
}

function startDeliveries(ctx: WebhookLoopContext) {
  const { outbox, pollMs, leaseMs = LEASE_MS, onFault } = ctx;
  const underWay = new Map<Promise<void>, ClaimedDelivery>();

  const isFailing = ({ failingSince }: ClaimedDelivery): boolean => failingSince !== null;

  const sendSome = async (): Promise<void> => {
    const healthy = SENT_AT_ONCE - underWay.size;
    const failing = SENT_TO_FAILING_AT_ONCE - [...underWay.values()].filter(isFailing).length;
    if (healthy <= 0) return;
    const lease = { token: randomUUID(), leaseMs };
    const claimed = await outbox.claimDeliveries(lease, { healthy, failing: Math.min(healthy, failing) });
    for (const delivery of claimed) begin(delivery);
    // There may be more.
    if (claimed.length > 0) loop.wake();
  };
  const loop = repeat(sendSome, { pollMs, onFault });

  function begin(delivery: ClaimedDelivery): void {
    const ended = attempt(ctx, delivery).then(() => {
      underWay.delete(ended);
      loop.wake();
    });
    underWay.set(ended, delivery);
  }

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_GRACE_MS);
      });
      await Promise.race([grace, Promise.all(underWay.keys())]);
      clearTimeout(timer);
      const tokens = new Set([...underWay.values()].map(({ leaseToken }) => leaseToken));
      await Promise.all([...tokens].map((token) => outbox.release(token).catch(onFault)));
    },
  };
}

/** Never throws. If the outcome cannot be stored, the event is sent again once the lease has ended. */
async function attempt(
  { outbox, sender, clock, onAttempt, onFault }: WebhookLoopContext,
  delivery: ClaimedDelivery,
): Promise<void> {
  try {
    const answer = await sender.send(delivery);
    const outcome = afterAttempt(delivery, answer, clock());
    if (await outbox.storeOutcome(delivery, answer, outcome)) onAttempt(delivery, answer, outcome);
  } catch (err) {
    onFault(err);
  }
}
