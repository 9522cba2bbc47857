import type { Catalogue } from "../access/catalogue.ts";
import { unknownScope } from "../access/verify.ts";
import type { KeyType } from "../credentials/key.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";

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
  if (distinct.length === 0) throw faultOf("required", "permissions", PERMISSIONS_REQUIRED);
  if (distinct.length > PERMISSIONS_MAX) {
    throw invalid("permissions", `must be at most ${PERMISSIONS_MAX} different scopes, not ${distinct.length}`);
  }
  for (const [index, scope] of permissions.entries()) {
    checkScope(`permissions[${index}]`, scope, type, catalogue);
  }
  return distinct;
}

/** Validates an expiry: it must be in the future. */
export function checkedExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt.getTime() <= now.getTime())
    throw faultOf("expiry_not_in_future", "expires_at", "must be in the future");
  return expiresAt;
}

function checkScope(field: string, scope: string, type: KeyType, catalogue: Catalogue): void {
  if (!catalogue.isGrantable(scope)) throw unknownScope(field, catalogue.nearestScope(scope, type));
  const blocked = type === "publishable" ? catalogue.blockedForPublishable(scope) : undefined;
  if (blocked === undefined) return;
  throw faultOf(
    "scope_blocked",
    field,
    `"${scope}" cannot be held by a publishable key, because of its effect on the blocked scope "${blocked}"; remove it, or use a secret key`,
  );
}
