import { Denial, type DenialReason } from "../vocabulary/denial.ts";
import type { KeyRecord } from "./key.ts";

export type KeyStatus = "active" | "expired" | "disabled" | "revoked";

/** The state of a key at an instant. Where several hold: revoked, then disabled, then expired. */
export function keyStatus(key: Pick<KeyRecord, "revokedAt" | "disabledAt" | "expiresAt">, now: Date): KeyStatus {
  if (key.revokedAt !== null) return "revoked";
  if (key.disabledAt !== null) return "disabled";
  if (key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime()) return "expired";
  return "active";
}

const DENIALS_OF_STATUSES = {
  active: null,
  expired: "api_key_expired",
  disabled: "api_key_disabled",
  revoked: "api_key_revoked",
} as const satisfies Record<KeyStatus, DenialReason | null>;

/** A key as it was found at an instant, with what decides about its tenant. */
export interface FoundKey {
  readonly key: Pick<KeyRecord, "revokedAt" | "disabledAt" | "expiresAt" | "permissions">;
  readonly at: Date;
  readonly isTenantSuspended: boolean;
}

/**
 * Why a key is refused, whatever it is used for. Null: it is usable. A suspended tenant counts like a disabled key, but not for
 * the expired keys of an erased tenant, which cannot be resumed with them.
 */
export function refusalOf({ key, at, isTenantSuspended }: FoundKey): Denial | null {
  const status = keyStatus(key, at);
  const isLikeDisabled = status === "active" || (status === "expired" && !isTombstone(key));
  if (isTenantSuspended && isLikeDisabled) return new Denial("api_key_disabled", { message: SUSPENDED });
  const reason = DENIALS_OF_STATUSES[status];
  return reason === null ? null : new Denial(reason);
}

/** Whether a key is what an erasure leaves of it. Every other key has a scope. */
function isTombstone({ permissions }: Pick<KeyRecord, "permissions">): boolean {
  return permissions.length === 0;
}

const SUSPENDED =
  "The tenant of this API key is suspended, and so are all of its keys; have the operator of this service resume it.";
