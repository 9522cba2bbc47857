import { budgetIdOf, sharesBudget, spendingOf } from "../../domain/limits/spending.ts";
import type { Admission } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { TenantStates } from "../../domain/ports/tenants.ts";
import type { ConnectedLimiter } from "./connected-limiter.ts";
import { createEndOfTick } from "./end-of-tick.ts";

/**
 * Reads the key and its tenant through `keys` and `tenants` at each request; they must return every change that was
 * acknowledged before the read began.
 *
 * A cached key is found at once. If its limit is decided at once, too, the request waits for the end of the tick: otherwise
 * requests that came together would not run beside each other.
 */
export function createAdmission(
  ctx: Pick<ConnectedLimiter, "limiter" | "isBatched"> & {
    readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
    readonly tenants: TenantStates;
    readonly clock: Clock;
  },
): Admission {
  const { keys, tenants, limiter, isBatched, clock } = ctx;
  const endOfTick = createEndOfTick();
  return {
    async find(secretHash) {
      const key = await keys.findKeyBySecretHash(secretHash);
      if (key === undefined) return undefined;
      const { isSuspended } = await tenants.findTenant(key.tenantId);
      if (!isBatched(key.rateLimit)) await endOfTick();
      return { key, at: clock(), isTenantSuspended: isSuspended };
    },
    take: ({ key, at }, use) => limiter.take(budgetIdOf(key), key.rateLimit, spendingOf(key, use, at)),
    peek: ({ key, at }) => limiter.peek(budgetIdOf(key), key.rateLimit, { isShared: sharesBudget(key, at) }),
  };
}
