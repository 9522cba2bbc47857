import type { Caps, RateLimit } from "../limits/caps.ts";
import { NO_CAPS } from "../limits/rate-limit.ts";

export function lacksSome(old: readonly string[], now: readonly string[]): boolean {
  return old.some((entry) => !now.includes(entry));
}

/** Of lists that admit all if they are empty. */
export function narrowsList(old: readonly string[], now: readonly string[]): boolean {
  return now.length > 0 && (old.length === 0 || lacksSome(old, now));
}

export function endsSooner(old: Date | null, now: Date | null): boolean {
  return now !== null && (old === null || now < old);
}

export function lowersLimit(old: RateLimit, now: RateLimit): boolean {
  return lowersCaps(old, now) || lowersCaps(old.perUser ?? NO_CAPS, now.perUser ?? NO_CAPS);
}

const CAPS = ["requestsPerMinute", "requestsPerHour", "burstSize"] as const satisfies readonly (keyof Caps)[];

/** Zero is not a cap. */
function lowersCaps(old: Caps, now: Caps): boolean {
  return CAPS.some((cap) => now[cap] !== 0 && (old[cap] === 0 || now[cap] < old[cap]));
}
