import { mostAtOnce } from "../limits/budget.ts";
import { Denial } from "../vocabulary/denial.ts";
import type { Facts } from "./facts.ts";

/** Why the limit of a key, of its user or of a dashboard user denies a call. */
export function limitDenial({ limit, cost, presented }: Facts): Denial | undefined {
  if (limit?.kind !== "deny") return undefined;
  if (presented === undefined) return new Denial("rate_limited", { message: DASHBOARD_USER });
  const { retryAfterSeconds, scope } = limit;
  const { rateLimit } = presented.key;
  if (retryAfterSeconds === undefined) {
    const of = scope === "user" ? "each user of this API key" : "this API key";
    const most = mostAtOnce((scope && rateLimit.perUser) ?? rateLimit);
    return new Denial("rate_limited", {
      message: `This request costs ${cost}, and the limit of ${of} never admits more than ${most} at once; have the limit raised, or the cost lowered.`,
    });
  }
  return new Denial("rate_limited", scope === undefined ? {} : { message: USER });
}

const DASHBOARD_USER =
  "This user exceeded the limit of requests in a minute that each dashboard user has; wait for the seconds in Retry-After.";
const USER = "This user exceeded the rate limit of each user of this API key; wait for the seconds in Retry-After.";
