import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import { checkImpersonation, limitedUser } from "../../domain/access/impersonation.ts";
import type { DashboardUser, Principal } from "../../domain/access/principal.ts";
import type { KeyRecord } from "../../domain/credentials/key.ts";
import { refusalOf } from "../../domain/credentials/status.ts";
import { exhausted, mostAtOnce } from "../../domain/limits/budget.ts";
import type { RateLimit } from "../../domain/limits/caps.ts";
import type { DashboardLimit } from "../../domain/limits/dashboard-user.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import type { Call } from "../call.ts";
import type { ErrorReporter } from "../errors.ts";

export interface RateLimitContext {
  readonly admission: Pick<Admission, "take" | "peek">;
  /** Null: dashboard users have no limit. */
  readonly dashboardLimit: DashboardLimit | null;
  readonly clock: Clock;
  readonly report: ErrorReporter;
}

/**
 * Spends a request of an authenticated key and of its user, and records the limit on the call. Denies a request beyond it.
 * One within it stays spent, whatever follows.
 */
export function spend(
  ctx: RateLimitContext,
  presented: PresentedKey,
  principal: Principal,
  call: Call,
): Awaitable<void> {
  const cost = call.costReader === undefined ? 1 : call.costReader.readCost();
  return typeof cost === "number"
    ? spendCost(ctx, presented, principal, call, cost)
    : cost.then((read) => spendCost(ctx, presented, principal, call, read));
}

function spendCost(
  ctx: RateLimitContext,
  presented: PresentedKey,
  principal: Principal,
  call: Call,
  cost: number,
): Awaitable<void> {
  const { perUser } = presented.key.rateLimit;
  if (perUser !== undefined) call.impersonation = checkImpersonation(principal, call.credentials.onBehalfOf);
  const userId = call.impersonation === undefined ? null : limitedUser(principal, call.impersonation);
  const taken = ctx.admission.take(presented, { userId, cost });
  if (!(taken instanceof Promise)) return apply(taken, cost, presented.key, call);
  return taken.then(
    (decision) => apply(decision, cost, presented.key, call),
    (err: unknown) => {
      // Every answer to a key has a limit, and here nothing is known to be left of it.
      call.limit = exhausted(presented.at);
      throw err;
    },
  );
}

function apply(decision: LimitDecision, cost: number, { rateLimit }: KeyRecord, call: Call): void {
  call.limit = decision;
  if (decision.kind === "deny") throw rateLimited(decision, cost, rateLimit);
}

/**
 * Spends a request of a dashboard user, whose requests have no key. Records the limit on the call only where it is exceeded:
 * only that answer shows it.
 */
export async function spendOfUser(
  { dashboardLimit }: Pick<RateLimitContext, "dashboardLimit">,
  user: DashboardUser,
  call: Call,
): Promise<void> {
  const decision = await dashboardLimit?.(user);
  if (decision?.kind !== "deny") return;
  call.limit = decision;
  throw new Denial("rate_limited", { message: USER_LIMITED });
}

const USER_LIMITED =
  "This user exceeded the limit of requests in a minute that each dashboard user has; wait for the seconds in Retry-After.";

function rateLimited(
  { retryAfterSeconds, scope }: Extract<LimitDecision, { kind: "deny" }>,
  cost: number,
  limit: RateLimit,
): Denial {
  const of = scope === "user" ? "each user of this API key" : "this API key";
  if (retryAfterSeconds === undefined) {
    const message = `This request costs ${cost}, and the limit of ${of} never admits more than ${mostAtOnce((scope && limit.perUser) ?? limit)} at once; have the limit raised, or the cost lowered.`;
    return new Denial("rate_limited", { message });
  }
  if (scope === undefined) return new Denial("rate_limited");
  const message =
    "This user exceeded the rate limit of each user of this API key; wait for the seconds in Retry-After.";
  return new Denial("rate_limited", { message });
}

/**
 * Records the limit of a key whose request did not reach the limiter, and spends nothing: a stranger's bad token must not
 * drain a publishable key. A key that is unknown, unusable or malformed has nothing left.
 */
export async function reportLimit(ctx: RateLimitContext, call: Call): Promise<void> {
  const { presented } = call;
  // A key is presented by itself, or by a token that stands for it.
  if (call.limit !== undefined || (call.credentials.apiKey.length === 0 && presented === undefined)) return;
  call.limit = exhausted(presented?.at ?? ctx.clock());
  if (presented === undefined || refusalOf(presented) !== null) return;
  try {
    call.limit = await ctx.admission.peek(presented);
  } catch (err) {
    // The answer is decided already, and a failure to read the limit must not change it.
    ctx.report(err, call);
  }
}
