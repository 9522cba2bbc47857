import { blockedForPublishable, isGrantable, nearestScope } from "../policy/scopes.ts";
import { invalid } from "../request-fault.ts";
import type { KeyType } from "./key.ts";

// What needs no more than a bound, such as the length of a description or the range of a limit, has it in the proto,
// which every protocol's messages are held to before they come here.

const PERMISSIONS_MAX = 64;
/** What to send where there are none. */
export const PERMISSIONS_REQUIRED = `is required: 1 to ${PERMISSIONS_MAX} scopes`;

/** 1 to 64 known scopes without duplicates; for a publishable key none with a blocked effect. */
export function checkedPermissions(permissions: readonly string[], type: KeyType): readonly string[] {
  const distinct = [...new Set(permissions)];
  if (distinct.length === 0) throw invalid("permissions", PERMISSIONS_REQUIRED);
  if (distinct.length > PERMISSIONS_MAX) {
    throw invalid("permissions", `must be at most ${PERMISSIONS_MAX} different scopes, not ${distinct.length}`);
  }
  for (const [index, scope] of permissions.entries()) {
    const problem = scopeProblem(scope, type);
    if (problem !== undefined) throw invalid(`permissions[${index}]`, problem);
  }
  return distinct;
}

/** An instant in the future. */
export function checkedExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt.getTime() <= now.getTime()) throw invalid("expires_at", "must be in the future");
  return expiresAt;
}

function scopeProblem(scope: string, type: KeyType): string | undefined {
  if (!isGrantable(scope)) {
    const form = type === "publishable" ? '"domain:action" or "domain:*"' : '"domain:action", "domain:*" or "*"';
    return `is no known scope; did you mean "${nearestScope(scope, type)}"? A scope is ${form}`;
  }
  const blocked = type === "publishable" ? blockedForPublishable(scope) : undefined;
  if (blocked !== undefined) {
    return `"${scope}" cannot be held by a publishable key, because of its effect on the blocked scope "${blocked}"; remove it, or use a secret key`;
  }
  return undefined;
}
