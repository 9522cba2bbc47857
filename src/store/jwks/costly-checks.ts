import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "../../concurrency/semaphore.ts";
import type { Algorithm } from "./algorithms.ts";

/**
 * Runs signature checks that a tenant can make costly. It keeps one tenant, and all tenants together, from filling the
 * thread pool on which all tokens are checked, and from keeping a core busy.
 */
export interface CostlyChecks {
  /**
   * Queues and runs the check. Checks of one account run one after the other, in the order in which they came, with a
   * rest after each. Throws `ChecksExhausted` at once if too many checks of the account wait.
   */
  run<T>(account: string, check: () => Promise<T>): Promise<T>;
}

/** Too many checks of one account wait. The token was not checked. */
export class ChecksExhausted extends Error {
  override readonly name = "ChecksExhausted";
}

/** Checks under way over all accounts: half of the four threads of the pool. */
const UNDER_WAY_MAX = 2;
/** Waiting checks of one account: 3 s of the costliest ones. */
const WAITING_MAX = 500;
/** Rest after a check, as a multiple of its duration: an account gets a quarter of a core. */
const RESTS_PER_CHECK = 3;
/** Longest rest. A check that took longer waited for a core itself. */
const REST_MS_MAX = 20;

/** The length of a modulus of 4,096 bits in base64url characters. */
const QUICK_MODULUS_CHARS_MAX = 683;
/** 3, 17 and 65,537 in base64url. The cost of a check grows with the exponent's bits. */
const QUICK_EXPONENTS: readonly (string | undefined)[] = ["Aw", "EQ", "AQAB"];

/** Whether a check with the key of a JWK takes more than about 0.1 ms. P-384 and P-521 take a millisecond or two. */
export function isCostly(jwk: Readonly<Record<string, string>>, { kty, crv }: Algorithm): boolean {
  if (kty === "RSA") return (jwk.n ?? "").length > QUICK_MODULUS_CHARS_MAX || !QUICK_EXPONENTS.includes(jwk.e);
  return crv !== "P-256" && crv !== "Ed25519";
}

export interface CostlyChecksContext {
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number;
  /** Resolves after so many milliseconds. For tests; a timer by default. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export function createCostlyChecks({ monotonicMs, wait = sleep }: CostlyChecksContext): CostlyChecks {
  const all = new Semaphore(UNDER_WAY_MAX);
  /** Of accounts with a check under way, or that rest. */
  const slotsOf = new Map<string, Semaphore>();

  async function rest(account: string, own: Semaphore, tookMs: number): Promise<void> {
    if (tookMs > 0) await wait(Math.min(tookMs * RESTS_PER_CHECK, REST_MS_MAX));
    own.leave();
    if (own.isIdle) slotsOf.delete(account);
  }

  return {
    async run(account, check) {
      const own = slotsOf.get(account) ?? new Semaphore(1);
      if (own.waiting >= WAITING_MAX) throw new ChecksExhausted(`${WAITING_MAX} checks of one account wait`);
      slotsOf.set(account, own);
      await own.enter();
      // An account waits for the common slots with one check only, so that accounts take turns.
      await all.enter();
      const beganMs = monotonicMs();
      try {
        return await check();
      } finally {
        all.leave();
        // The caller has its answer meanwhile.
        void rest(account, own, monotonicMs() - beganMs);
      }
    },
  };
}
