import type { Algorithm } from "./algorithms.ts";

/**
 * Runs signature checks that a tenant can make costly. It keeps one tenant, and all tenants together, from filling the
 * thread pool on which all tokens are checked.
 */
export interface CostlyChecks {
  /**
   * Queues and runs the check. Checks of one account run one after the other, in the order in which they came. Throws
   * `ChecksExhausted` at once if too many checks of the account wait.
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
const WAITING_MAX = 1_000;

/** The length of a modulus of 4,096 bits in base64url characters. */
const QUICK_MODULUS_CHARS_MAX = 683;
/** 3, 17 and 65,537 in base64url. The cost of a check grows with the exponent's bits. */
const QUICK_EXPONENTS: readonly (string | undefined)[] = ["Aw", "EQ", "AQAB"];

/** Whether a check with the key of a JWK takes more than about 0.1 ms. P-384 and P-521 take a millisecond or two. */
export function isCostly(jwk: Readonly<Record<string, string>>, { kty, crv }: Algorithm): boolean {
  if (kty === "RSA") return (jwk.n ?? "").length > QUICK_MODULUS_CHARS_MAX || !QUICK_EXPONENTS.includes(jwk.e);
  return crv !== "P-256" && crv !== "Ed25519";
}

export function createCostlyChecks(): CostlyChecks {
  const all = createSlots(UNDER_WAY_MAX);
  /** For accounts with a check under way. */
  const slotsOf = new Map<string, Slots>();
  return {
    async run(account, check) {
      const own = slotsOf.get(account) ?? createSlots(1);
      if (own.waiting() >= WAITING_MAX) throw new ChecksExhausted(`${WAITING_MAX} checks of one account wait`);
      slotsOf.set(account, own);
      try {
        // Only one check of an account at a time waits for the common slots, so that accounts take turns.
        return await own.run(() => all.run(check));
      } finally {
        if (own.isIdle()) slotsOf.delete(account);
      }
    },
  };
}

interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>;
  waiting(): number;
  isIdle(): boolean;
}

function createSlots(max: number): Slots {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    waiting: () => waiting.length,
    isIdle: () => taken === 0,
    async run(work) {
      if (taken === max) await new Promise<void>((resolve) => waiting.push(resolve));
      else taken++;
      try {
        return await work();
      } finally {
        // The slot is handed over directly, so that no later check gets ahead.
        const next = waiting.shift();
        if (next === undefined) taken--;
        else next();
      }
    },
  };
}
