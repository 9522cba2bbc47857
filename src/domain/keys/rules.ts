import type { Catalogue } from "../access/catalogue.ts";
import { unknownScope } from "../access/verify.ts";
import type { KeyRecord, KeyType } from "../credentials/key.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";

// Simple bounds, such as the length of a description or the range of a limit, are in the proto. Messages of every
// protocol are validated against it before these rules run.

const PERMISSIONS_MAX = 64;
/** The problem with an empty list of permissions. */
export const PERMISSIONS_REQUIRED = `is required: 1 to ${PERMISSIONS_MAX} scopes`;

/**
 * Validates permissions: 1 to 64 known scopes; for a publishable key none with a blocked effect. Removes duplicates. `field` is
 * their JSON path.
 */
export function checkedPermissions(
  permissions: readonly string[],
  type: KeyType,
  catalogue: Catalogue,
  field = "permissions",
): readonly string[] {
  const distinct = [...new Set(permissions)];
  if (distinct.length === 0) throw faultOf("required", field, PERMISSIONS_REQUIRED);
  if (distinct.length > PERMISSIONS_MAX) {
    throw invalid(field, `must be at most ${PERMISSIONS_MAX} different scopes, not ${distinct.length}`);
  }
  for (const [index, scope] of permissions.entries()) {
    checkScope(`${field}[${index}]`, scope, type, catalogue);
  }
  return distinct;
}

/** Validates an expiry: it must be in the future. */
export function checkedExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt.getTime() <= now.getTime())
    throw faultOf("expiry_not_in_future", "expires_at", "must be in the future");
  return expiresAt;
}

/**
 * An expired key stays expired, and a rotated key's life can only be shortened: otherwise an update would undo the end
 * that a rotation promised.
 */
export function newExpiry(
  current: Pick<KeyRecord, "expiresAt" | "rotatedTo">,
  expiresAt: Date | null,
  now: Date,
): Date | null {
  if (expiresAt !== null) checkedExpiry(expiresAt, now);
  if (current.expiresAt !== null && current.expiresAt <= now) {
    throw faultOf("key_expired", "expires_at", "the key has expired, which is final; create a new key");
  }
  const lengthened = current.expiresAt !== null && (expiresAt === null || expiresAt > current.expiresAt);
  if (current.rotatedTo !== null && lengthened) {
    throw faultOf(
      "key_already_rotated",
      "expires_at",
      `the life of a rotated key cannot be lengthened; use its successor ${current.rotatedTo}`,
    );
  }
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
