import type { Caps, RateLimit } from "../limits/caps.ts";
import { NO_CAPS, withPerUser } from "../limits/rate-limit.ts";

/** A member of a limit as an update mask names it: the limit's own, the whole limit of each user, or a member of that. */
export type LimitPath = keyof Caps | "perUser" | `perUser.${keyof Caps}`;

const CAPS: Readonly<Record<keyof Caps, string>> = {
  requestsPerMinute: "requests_per_minute",
  requestsPerHour: "requests_per_hour",
  burstSize: "burst_size",
};
const CAP_NAMES = Object.keys(CAPS) as (keyof Caps)[];

/** The paths in masks, in snake case. */
export const LIMIT_PATHS: readonly (readonly [path: string, member: LimitPath])[] = [
  ["rate_limit.per_user", "perUser"],
  ...CAP_NAMES.flatMap((cap): [string, LimitPath][] => [
    [`rate_limit.${CAPS[cap]}`, cap],
    [`rate_limit.per_user.${CAPS[cap]}`, `perUser.${cap}`],
  ]),
];

const MEMBERS: ReadonlySet<string> = new Set(LIMIT_PATHS.map(([, member]) => member));

/** What a mask takes of a limit. */
export const LIMIT_PATHS_SENTENCE = `name rate_limit, which is replaced as a whole, or of rate_limit or rate_limit.per_user one of ${Object.values(CAPS).join(", ")}`;

export function isLimitPath(field: string): field is LimitPath {
  return MEMBERS.has(field);
}

/** The limit in which these members, and no others, have the values given. */
export function changedLimit(current: RateLimit, paths: readonly LimitPath[], given: RateLimit): RateLimit {
  const named = new Set<LimitPath>(paths);
  const perUser = named.has("perUser")
    ? given.perUser
    : mixed(current.perUser, given.perUser, (cap) => named.has(`perUser.${cap}`));
  return withPerUser(
    mixed(current, given, (cap) => named.has(cap)),
    perUser,
  );
}

function mixed(current: Caps = NO_CAPS, given: Caps = NO_CAPS, isNamed: (cap: keyof Caps) => boolean): Caps {
  const cap = (name: keyof Caps): number => (isNamed(name) ? given : current)[name];
  return {
    requestsPerMinute: cap("requestsPerMinute"),
    requestsPerHour: cap("requestsPerHour"),
    burstSize: cap("burstSize"),
  };
}
