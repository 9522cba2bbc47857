import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import { budgetIdOf, sharesBudget, spendingOf } from "../../domain/access/spending.ts";
import type { FoundKey } from "../../domain/credentials/key.ts";
import type { KeyStore } from "../../domain/keys/key-store.ts";
import type { Limiter } from "../../domain/limits/limiter.ts";
import type { TenantState } from "../../domain/tenants/tenant.ts";
import type { TenantStates } from "../../domain/tenants/tenant-store.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";

/**
 * Reads the key and its tenant through `keys` and `tenants` at each request; they must return every change that was
 * acknowledged before the read began.
 */
export function createAdmission(ctx: {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly tenants: TenantStates;
  readonly limiter: Pick<Limiter, "take" | "peek">;
  readonly clock: Clock;
}): Admission {
  const { keys, tenants, limiter, clock } = ctx;

  function withTenant(key: FoundKey | undefined): Awaitable<PresentedKey | undefined> {
    if (key === undefined) return undefined;
    return after(tenants.findTenant(key.tenantId), presented, key);
  }

  function presented({ isSuspended }: TenantState, key: FoundKey): PresentedKey {
    return { key, at: clock(), isTenantSuspended: isSuspended };
  }

  return {
    find: (secretHash) => after(keys.findKeyBySecretHash(secretHash), withTenant),
    take: ({ key, at }, use) => limiter.take(budgetIdOf(key), key.rateLimit, spendingOf(key, use, at)),
    peek: ({ key, at }) => limiter.peek(budgetIdOf(key), key.rateLimit, { isShared: sharesBudget(key, at) }),
  };
}
