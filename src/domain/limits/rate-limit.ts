import type { Caps, RateLimit } from "./caps.ts";

export const NO_CAPS: Caps = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 };

/** A limit with that of each user, unless it is zeros alone, which is none. */
export function withPerUser(
  { requestsPerMinute, requestsPerHour, burstSize }: Caps,
  perUser: Caps | undefined,
): RateLimit {
  const caps = { requestsPerMinute, requestsPerHour, burstSize };
  if (perUser === undefined) return caps;
  const isNone = perUser.requestsPerMinute === 0 && perUser.requestsPerHour === 0 && perUser.burstSize === 0;
  return isNone ? caps : { ...caps, perUser };
}

/** Whether the limit never denies a request: a `burst_size` without a cap limits nothing. */
export function isUnlimited({ perUser = NO_CAPS, ...own }: RateLimit): boolean {
  return hasNoCap(own) && hasNoCap(perUser);
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

function isIdleBurst(caps: Caps): boolean {
  return caps.burstSize > 0 && hasNoCap(caps);
}

function hasNoCap({ requestsPerMinute, requestsPerHour }: Caps): boolean {
  return requestsPerMinute === 0 && requestsPerHour === 0;
}
