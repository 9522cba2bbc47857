import { invalid } from "../vocabulary/request-fault.ts";
import type { Caps, RateLimit } from "./caps.ts";

export const NO_CAPS: Caps = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 };

/** A limit with that of each user, unless it has only zeros, which means no limit. */
export function withPerUser(own: Caps, perUser: Caps | undefined): RateLimit {
  const caps = capsOf(own);
  if (perUser === undefined) return caps;
  const isNone = perUser.requestsPerMinute === 0 && perUser.requestsPerHour === 0 && perUser.burstSize === 0;
  return isNone ? caps : { ...caps, perUser: capsOf(perUser) };
}

/** Whether the limit never denies a request: a `burst_size` without a cap limits nothing. */
export function isUnlimited({ perUser = NO_CAPS, ...own }: RateLimit): boolean {
  return hasNoCap(own) && hasNoCap(perUser);
}

/**
 * The limit of a request, which may say itself whether it is unlimited. Refuses one that says otherwise than its caps: it would
 * admit all requests, or few, where the caller has asked for the opposite. `field` is its name in the request.
 */
export function checkedUnlimited(limit: RateLimit, unlimited: boolean | undefined, field: string): RateLimit {
  if (unlimited === undefined || unlimited === isUnlimited(limit)) return limit;
  throw invalid(
    `${field}.unlimited`,
    unlimited
      ? "is true, but a cap is beside it; leave out unlimited, or all caps"
      : "is false, but no cap is beside it; give requests_per_minute, requests_per_hour or a cap of per_user",
  );
}

/** Says which `burst_size` limits nothing, since its limit has no cap. Undefined: none. */
export function burstWarning({ perUser = NO_CAPS, ...own }: RateLimit): string | undefined {
  const names = [
    ...(isIdleBurst(own) ? ["rate_limit.burst_size"] : []),
    ...(isIdleBurst(perUser) ? ["rate_limit.per_user.burst_size"] : []),
  ];
  if (names.length === 0) return undefined;
  const verb = names.length === 1 ? "limits" : "limit";
  return `${names.join(" and ")} ${verb} nothing without requests_per_minute or requests_per_hour beside it.`;
}

/** Without what else a message or a row has, so that equal caps are equal objects. */
function capsOf({ requestsPerMinute, requestsPerHour, burstSize }: Caps): Caps {
  return { requestsPerMinute, requestsPerHour, burstSize };
}

function isIdleBurst(caps: Caps): boolean {
  return caps.burstSize > 0 && hasNoCap(caps);
}

function hasNoCap({ requestsPerMinute, requestsPerHour }: Caps): boolean {
  return requestsPerMinute === 0 && requestsPerHour === 0;
}
