import { Denial } from "../../domain/denial.ts";
import { refusalOf } from "../../domain/keys/status.ts";
import { exhausted } from "../../domain/limits/budget.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
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
  // Reported if the limiter fails: every answer to a key has a limit, and here nothing is known to be left of it.
  call.limit = exhausted(presented.at);
  return ctx.admission.take(presented);
}

/** Records the limit on the call, and denies a request beyond it. One within it stays spent, whatever follows. */
export function applyDecision(call: Call, decision: LimitDecision): void {
  call.limit = decision;
  if (decision.kind === "deny") throw new Denial("rate_limited");
}

/**
 * Records the limit of a key whose request did not reach the limiter, and spends nothing: a stranger's bad token must not
 * drain a publishable key. A key that is unknown, unusable or malformed has nothing left.
 */
export async function reportLimit(ctx: RateLimitContext, call: Call): Promise<void> {
  if (call.limit !== undefined || call.credentials.apiKey.length === 0) return;
  const { presented } = call;
  call.limit = exhausted(presented?.at ?? ctx.clock());
  if (presented === undefined || refusalOf(presented) !== null) return;
  try {
    call.limit = await ctx.admission.peek(presented);
  } catch (err) {
    // The answer is decided already, and a failure to read the limit must not change it.
    ctx.report(err, call);
  }
}
