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

/** Spends one request of an accepted key that spent none when it was looked up. */
export function take(ctx: RateLimitContext, presented: PresentedKey, call: Call): Promise<LimitDecision> {
  // Told if the limiter fails: every answer to a key tells a limit, and here nothing is known to be left of it.
  call.limit = exhausted(presented.at);
  return ctx.admission.take(presented);
}

/** Tells the limit, and denies a request beyond it; one within it is spent, whatever becomes of it after this. */
export function settle(call: Call, decision: LimitDecision): void {
  call.limit = decision;
  if (decision.kind === "deny") throw new Denial("rate_limited");
}

/**
 * Finds what to tell about the limit of a key that did not get as far as the limiter, spending nothing: a stranger's
 * bad token must not drain a public key. A key that is unknown, dead or malformed has nothing left.
 */
export async function reportLimit(ctx: RateLimitContext, call: Call): Promise<void> {
  if (call.limit !== undefined || call.credentials.apiKey.length === 0) return;
  const { presented } = call;
  call.limit = exhausted(presented?.at ?? ctx.clock());
  if (presented === undefined || keyStatus(presented.key, presented.at) !== "active") return;
  try {
    call.limit = await ctx.admission.peek(presented);
  } catch (err) {
    // The answer is decided already, and a fault in telling the limit must not change it.
    ctx.report(err, call);
  }
}
