import { Denial } from "../../domain/denial.ts";
import { keyStatus } from "../../domain/keys/status.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { exhausted } from "../../domain/limits/limiter.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Call } from "../call.ts";
import type { ErrorReporter } from "../errors.ts";

export interface RateLimitContext {
  readonly admission: Pick<Admission, "take" | "peek">;
  readonly clock: Clock;
  readonly report: ErrorReporter;
}

/** Spends one request of an authenticated key whose look-up did not spend one. */
export function take(ctx: RateLimitContext, presented: PresentedKey, call: Call): Promise<LimitDecision> {
  // Reported if the limiter fails: every answer to a key reports a limit, and none is known to be left.
  call.limit = exhausted(presented.at);
  return ctx.admission.take(presented);
}

/** Records the limit on the call. Throws `Denial` if the limit is exceeded. A request that is spent is never refunded. */
export function settle(call: Call, decision: LimitDecision): void {
  call.limit = decision;
  if (decision.kind === "deny") throw new Denial("rate_limited");
}

/**
 * Sets the limit to report for a key that did not reach the limiter. Spends nothing: a stranger's invalid token must not
 * drain a public key. A key that is unknown, unusable or malformed has nothing left.
 */
export async function reportLimit(ctx: RateLimitContext, call: Call): Promise<void> {
  if (call.limit !== undefined || call.credentials.apiKey.length === 0) return;
  const { presented } = call;
  call.limit = exhausted(presented?.at ?? ctx.clock());
  if (presented === undefined || keyStatus(presented.key, presented.at) !== "active") return;
  try {
    call.limit = await ctx.admission.peek(presented);
  } catch (err) {
    // The answer is already decided, and a failure to read the limit must not change it.
    ctx.report(err, call);
  }
}
