import { hash } from "node:crypto";
import type { FoundKey, KeyRecord } from "../credentials/key.ts";
import type { Spending } from "../limits/limiter.ts";

/** What a request with a key asks of its budgets. */
export interface KeyUse {
  /** The user for whom it is made. Null: it spends only the key's budget. */
  readonly userId: string | null;
  /** As how many requests it counts, 1 to 1,000. */
  readonly cost: number;
}

/** The id of the budget of a key. A rotation hands it on. */
export function budgetIdOf({ keyId, budgetId }: Pick<KeyRecord, "keyId" | "budgetId">): string {
  return budgetId ?? keyId;
}

/** Whether another valid key may spend from the same budget: the key that was rotated, or its successor. */
export function sharesBudget({ sharedUntil }: Pick<FoundKey, "sharedUntil">, now: Date): boolean {
  return sharedUntil !== undefined && now < sharedUntil;
}

/** What a request with this key spends. */
export function spendingOf(key: FoundKey, { userId, cost }: KeyUse, now: Date): Spending {
  const hasUser = userId !== null && key.rateLimit.perUser !== undefined;
  return {
    cost,
    isShared: sharesBudget(key, now),
    user: hasUser ? userBudgetId(budgetIdOf(key), userId) : undefined,
    tenant: hasUser ? tenantBudgetId(key.tenantId) : undefined,
  };
}

/**
 * The id of a user's budget under a key: 128 bits of a hash, so that neither Redis nor this process keeps ids of users, and
 * the users of two keys cannot be compared.
 */
function userBudgetId(budgetId: string, userId: string): string {
  return hash("sha256", `${budgetId}\n${userId}`, "base64url").slice(0, 22);
}

/** The id under which a tenant's users are counted: a hash, too, so that Redis keeps no ids of tenants. */
function tenantBudgetId(tenantId: string): string {
  return hash("sha256", tenantId, "base64url").slice(0, 22);
}
