import { parseAddress } from "../addresses/address.ts";
import type { LimitState } from "../limits/decision.ts";
import type { Clock } from "../vocabulary/clock.ts";
import { Denial } from "../vocabulary/denial.ts";

/** How much all clients together, and each address, may ask for in a minute. */
export interface ThrottleBounds {
  readonly perAddress: number;
  readonly total: number;
}

/** The bound that a client exceeds, and for how long. */
export interface Throttled extends LimitState {
  readonly retryAfterSeconds: number;
}

/** Takes `cost` from what a client may ask for. Null: it may. */
export type Throttle = (address: string | null, cost: number) => Throttled | null;

/** Denies a call that is too much now. The limit is recorded on the call, so that the response has the headers of one. */
export function throttleCall(
  throttle: Throttle,
  call: { readonly address: string | null; limit?: Throttled | LimitState | undefined },
  cost: number,
): void {
  const throttled = throttle(call.address, cost);
  if (throttled === null) return;
  call.limit = throttled;
  throw new Denial("rate_limited", { message: TOO_MANY });
}

const TOO_MANY = "Too many keys were reported within a minute; wait for the seconds in Retry-After.";
const MINUTE_MS = 60_000;

/**
 * Bounds what callers without credentials may ask of this process, in windows of a minute that begin with the first call.
 *
 * A refused report takes nothing. So there are never more addresses in memory than `total`. Clients whose address is unknown
 * are one.
 */
export function createThrottle(clock: Clock, { perAddress, total }: ThrottleBounds): Throttle {
  let endMs = 0;
  let taken = 0;
  const byClient = new Map<string, number>();
  return (address, cost) => {
    const nowMs = clock().getTime();
    if (nowMs >= endMs || nowMs < endMs - MINUTE_MS) {
      endMs = nowMs + MINUTE_MS;
      taken = 0;
      byClient.clear();
    }
    const client = clientOf(address);
    const own = byClient.get(client) ?? 0;
    if (own + cost > perAddress || taken + cost > total) return throttled(perAddress, nowMs, endMs);
    byClient.set(client, own + cost);
    taken += cost;
    return null;
  };
}

function throttled(limit: number, nowMs: number, endMs: number): Throttled {
  const endS = Math.ceil(endMs / 1_000);
  return {
    limit,
    remaining: 0,
    resetAt: new Date(endS * 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil((endMs - nowMs) / 1_000)),
  };
}

/** One machine can have all addresses of an IPv6 /64, which is what networks assign to a link. */
function clientOf(address: string | null): string {
  const parsed = address === null ? undefined : parseAddress(address)?.parsed;
  return parsed?.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : (address ?? "");
}
