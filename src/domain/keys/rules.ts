import { blockedForPublishable, isGrantable, nearestScope } from "../policy/scopes.ts";
import { invalid } from "../request-fault.ts";
import type { KeyType, RateLimit } from "./key.ts";

const DESCRIPTION_CHARS_MAX = 1_024;
const PERMISSIONS_MAX = 64;
const INTEGER_MAX = 2_147_483_647;

/** Free text of at most 1,024 characters. */
export function checkedDescription(description: string): string {
  const length = [...description].length;
  if (length > DESCRIPTION_CHARS_MAX) {
    throw invalid("description", `must be at most ${DESCRIPTION_CHARS_MAX} characters, not ${length}`);
  }
  return description;
}

/** 1 to 64 known scopes without duplicates; for a publishable key none with a blocked effect. */
export function checkedPermissions(permissions: readonly string[], type: KeyType): readonly string[] {
  const distinct = [...new Set(permissions)];
  if (distinct.length === 0) throw invalid("permissions", `is required: 1 to ${PERMISSIONS_MAX} scopes`);
  if (distinct.length > PERMISSIONS_MAX) {
    throw invalid("permissions", `must be at most ${PERMISSIONS_MAX} different scopes, not ${distinct.length}`);
  }
  for (const [index, scope] of permissions.entries()) {
    const problem = scopeProblem(scope, type);
    if (problem !== undefined) throw invalid(`permissions[${index}]`, problem);
  }
  return distinct;
}

/** Integers from 0 to 2^31-1. */
export function checkedRateLimit(limit: RateLimit): RateLimit {
  for (const [field, value] of [
    ["requests_per_minute", limit.requestsPerMinute],
    ["requests_per_hour", limit.requestsPerHour],
    ["burst_size", limit.burstSize],
  ] as const) {
    if (!Number.isInteger(value) || value < 0 || value > INTEGER_MAX) {
      throw invalid(`rate_limit.${field}`, `must be an integer from 0 (unlimited) to ${INTEGER_MAX}`);
    }
  }
  return limit;
}

/** An instant in the future. */
export function checkedExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt.getTime() <= now.getTime()) throw invalid("expires_at", "must be in the future");
  return expiresAt;
}

function scopeProblem(scope: string, type: KeyType): string | undefined {
  if (!isGrantable(scope)) {
    return `is no known scope; did you mean "${nearestScope(scope)}"? A scope is "domain:action", "domain:*" or "*"`;
  }
  const blocked = type === "publishable" ? blockedForPublishable(scope) : undefined;
  if (blocked !== undefined) {
    return `"${scope}" cannot be held by a publishable key, because of its effect on the blocked scope "${blocked}"`;
  }
  return undefined;
}
