import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyRecord } from "../../domain/keys/key.ts";
import { budgetIdOf, sharesBudget, spendingOf } from "../../domain/limits/spending.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import type { TenantStates } from "../../domain/ports/tenants.ts";

/**
 * Reads the key and its tenant through `keys` and `tenants` at each request; they must return every change that was
 * acknowledged before the read began.
 */
export function createAdmission(ctx: {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly tenants: TenantStates;
  readonly limiter: Limiter;
  readonly clock: Clock;
}): Admission {
  const { keys, tenants, limiter, clock } = ctx;

  function withTenant(key: KeyRecord | undefined): Awaitable<PresentedKey | undefined> {
    if (key === undefined) return undefined;
    const tenant = tenants.findTenant(key.tenantId);
    return tenant instanceof Promise
      ? tenant.then(({ isSuspended }) => presented(key, isSuspended))
      : presented(key, tenant.isSuspended);
  }

  function presented(key: KeyRecord, isTenantSuspended: boolean): PresentedKey {
    return { key, at: clock(), isTenantSuspended };
  }

  return {
    find(secretHash) {
      const key = keys.findKeyBySecretHash(secretHash);
      return key instanceof Promise ? key.then(withTenant) : withTenant(key);
    },
    take: ({ key, at }, use) => limiter.take(budgetIdOf(key), key.rateLimit, spendingOf(key, use, at)),
    peek: ({ key, at }) => limiter.peek(budgetIdOf(key), key.rateLimit, { isShared: sharesBudget(key, at) }),
  };
}
