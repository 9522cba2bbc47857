import { randomUUID } from "node:crypto";
import type { Clock } from "../domain/vocabulary/clock.ts";
import type { ClaimedDelivery, Outbox, Prepared, RawEvent } from "../domain/webhooks/outbox.ts";
import { type AttemptOutcome, afterAttempt } from "../domain/webhooks/retry.ts";
import type { WebhookAnswer, WebhookSender } from "../domain/webhooks/sender.ts";
import { createWakeablePause } from "./wakeable-pause.ts";

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

export interface WebhookLoop {
  /** Looks now. */
  wake(): void;
  /** Claims no more. Attempts under way may end within 5 s, then they are handed over. Idempotent. */
  stop(): Promise<void>;
}

/**
 * The worker of webhooks: makes bodies of what happened, and sends them. Both go on by themselves, so that a flood of events delays no
 * delivery of those before. It runs on every replica, and needs no state but the tables'.
 */
export function startWebhookLoop(ctx: WebhookLoopContext): WebhookLoop {
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
  return repeat(pollMs, onFault, async () => {
    const token = randomUUID();
    const claimed = await outbox.claimEvents({ token, leaseMs }, PREPARED_AT_ONCE);
    if (claimed.length === 0) return false;
    if ((await outbox.storePrepared(token, await prepareAll(claimed, prepare, onFault))) > 0) onPrepared();
    return true;
  });
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

  const loop = repeat(pollMs, onFault, async () => {
    const healthy = SENT_AT_ONCE - underWay.size;
    const failing = SENT_TO_FAILING_AT_ONCE - [...underWay.values()].filter(isFailing).length;
    if (healthy <= 0) return false;
    const lease = { token: randomUUID(), leaseMs };
    const claimed = await outbox.claimDeliveries(lease, { healthy, failing: Math.min(healthy, failing) });
    for (const delivery of claimed) begin(delivery);
    return claimed.length > 0;
  });

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

/** Repeats a step while it says that there may be more, and then at each wake and poll. */
function repeat(pollMs: number, onFault: (err: unknown) => void, step: () => Promise<boolean>) {
  const pause = createWakeablePause();
  let isStopping = false;

  async function work(): Promise<void> {
    while (!isStopping) {
      // The pause begins before the look, so that a wake during the look is not lost.
      const more = pause.next(pollMs);
      try {
        while (!isStopping && (await step()));
      } catch (err) {
        onFault(err);
      }
      await more;
    }
  }

  const working = work();
  return {
    wake: pause.wake,
    async stop(): Promise<void> {
      isStopping = true;
      pause.wake();
      await working;
    },
  };
}
