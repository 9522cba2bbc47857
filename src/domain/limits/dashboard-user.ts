import { hash } from "node:crypto";
import type { UserKey } from "../tokens/user-key.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { LimitDecision } from "./decision.ts";
import type { Limiter } from "./limiter.ts";

/** Spends a request of a dashboard user, or denies it. */
export type DashboardLimit = (user: UserKey) => Awaitable<LimitDecision>;

/** Null: dashboard users have no limit. They share one of so many requests for each user, over all tenants of that user. */
export function createDashboardLimit(limiter: Pick<Limiter, "take">, requestsPerMinute: number): DashboardLimit | null {
  if (requestsPerMinute === 0) return null;
  const limit = { requestsPerMinute, requestsPerHour: 0, burstSize: 0 };
  return (user) => limiter.take(budgetIdOf(user), limit);
}

/** 128 bits of a hash, so that neither Redis nor this process keeps ids of users. No key's id begins like that. */
function budgetIdOf({ issuer, userId }: UserKey): string {
  return `user_${hash("sha256", `${issuer}\n${userId}`, "base64url").slice(0, 22)}`;
}
