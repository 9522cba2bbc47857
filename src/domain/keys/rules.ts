import type { Catalogue } from "../policy/catalogue.ts";
import { unknownScope } from "../policy/verify.ts";
import { invalid } from "../request-fault.ts";
import type { KeyType } from "./key.ts";

// Simple bounds, such as the length of a description or the range of a limit, are in the proto. Messages of every
// protocol are validated against it before these rules run.

const PERMISSIONS_MAX = 64;
/** The problem with an empty list of permissions. */
export const PERMISSIONS_REQUIRED = `is required: 1 to ${PERMISSIONS_MAX} scopes`;

/** Validates permissions: 1 to 64 known scopes; for a publishable key none with a blocked effect. Removes duplicates. */
export function checkedPermissions(
  permissions: readonly string[],
  type: KeyType,
  catalogue: Catalogue,
): readonly string[] {
  const distinct = [...new Set(permissions)];
  if (distinct.length === 0) throw invalid("permissions", PERMISSIONS_REQUIRED);
  if (distinct.length > PERMISSIONS_MAX) {
    throw invalid("permissions", `must be at most ${PERMISSIONS_MAX} different scopes, not ${distinct.length}`);
  }
  for (const [index, scope] of permissions.entries()) {
    const problem = scopeProblem(scope, type, catalogue);
    if (problem !== undefined) throw invalid(`permissions[${index}]`, problem);
  }
  return distinct;
}

/** Validates an expiry: it must be in the future. */
export function checkedExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt.getTime() <= now.getTime()) throw invalid("expires_at", "must be in the future");
  return expiresAt;
}

function scopeProblem(scope: string, type: KeyType, catalogue: Catalogue): string | undefined {
  if (!catalogue.isGrantable(scope)) return unknownScope(catalogue.nearestScope(scope, type));
  const blocked = type === "publishable" ? catalogue.blockedForPublishable(scope) : undefined;
  if (blocked === undefined) return undefined;
  return `"${scope}" cannot be held by a publishable key, because of its effect on the blocked scope "${blocked}"; remove it, or use a secret key`;
}
