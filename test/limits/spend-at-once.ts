import type { RateLimit } from "../../src/domain/limits/caps.ts";
import type { Limiter } from "../../src/domain/limits/limiter.ts";

const CALLS = 1_000;
const MOST = 20;

/**
 * Takes 500 requests and 500 slices of one budget at once, over all limiters, and gives back a part of every other slice.
 * Then takes what is left. Returns how many requests were admitted in all.
 */
export async function spendAtOnce(limiters: readonly Limiter[], keyId: string, limit: RateLimit): Promise<number> {
  const calls = Array.from({ length: CALLS }, async (_, n) => {
    const limiter = limiters[(n >> 1) % limiters.length] as Limiter;
    if (n % 2 === 0) return (await limiter.take(keyId, limit)).kind === "allow" ? 1 : 0;
    const { granted, takenAtMs } = await limiter.slice(keyId, limit, { most: MOST });
    const unspent = n % 4 === 1 ? Math.ceil(granted / 2) : 0;
    if (unspent > 0) await limiters[0]?.giveBack(keyId, limit, { unspent, takenAtMs });
    return granted - unspent;
  });
  let admitted = (await Promise.all(calls)).reduce((sum, count) => sum + count, 0);
  for (const limiter of limiters) while ((await limiter.take(keyId, limit)).kind === "allow") admitted += 1;
  return admitted;
}
