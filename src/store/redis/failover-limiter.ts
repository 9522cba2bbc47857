import type { Limiter } from "../../domain/limits/limiter-port.ts";
import { StoreUnavailable } from "../../domain/request-fault.ts";
import type { Breaker } from "./breaker.ts";
import { hashTagOf } from "./limiter.ts";

/**
 * One budget for all replicas in Redis; while Redis is away, one in each replica, so never unlimited.
 *
 * The local budget begins full when Redis goes away: a key may then be admitted its limit once more by each replica.
 */
export function createFailoverLimiter(shared: Limiter, local: Limiter, breaker: Breaker): Limiter {
  async function either<T>(keyId: string, ask: (limiter: Limiter) => Promise<T>): Promise<T> {
    try {
      return await breaker.run(hashTagOf(keyId), () => ask(shared));
    } catch (err) {
      if (err instanceof StoreUnavailable) return ask(local);
      throw err;
    }
  }

  return {
    take: (keyId, limit) => either(keyId, (limiter) => limiter.take(keyId, limit)),
    peek: (keyId, limit) => either(keyId, (limiter) => limiter.peek(keyId, limit)),
  };
}
