import type { WebhookAnswer } from "./sender.ts";
import { isDelivered } from "./sender.ts";
import type { DisabledReason } from "./webhook.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long after each failed attempt the next one is due. After the last of them the delivery has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** A webhook all of whose attempts have failed for so long is disabled. */
const FAILING_MS_MAX = 5 * DAY_MS;
const GONE = 410;

/** A delivery before an attempt. */
export interface AttemptedDelivery {
  /** Attempts before this one. */
  readonly attempts: number;
  /** Since when all attempts of the webhook have failed. Null: the last one succeeded, or there was none. */
  readonly failingSince: Date | null;
}

/** What becomes of a delivery, and of its webhook. */
export type AttemptOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "retried"; readonly delayMs: number }
  /** `disabled`: why the webhook is disabled now. Null: it is not. */
  | { readonly kind: "failed"; readonly disabled: Exclude<DisabledReason, "requested"> | null };

/** The meaning of an answer. `now` is the time at which it came. */
export function afterAttempt(
  { attempts, failingSince }: AttemptedDelivery,
  answer: Pick<WebhookAnswer, "status">,
  now: Date,
): AttemptOutcome {
  if (isDelivered(answer)) return { kind: "delivered" };
  if (answer.status === GONE) return { kind: "failed", disabled: "gone" };
  if (failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_MS_MAX) {
    return { kind: "failed", disabled: "failing" };
  }
  const delayMs = RETRY_DELAYS_MS[attempts];
  return delayMs === undefined ? { kind: "failed", disabled: null } : { kind: "retried", delayMs };
}
