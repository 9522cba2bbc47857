import type { DenialReason } from "../denial.ts";
import type { KeyRecord } from "./key.ts";

export type KeyStatus = "active" | "expired" | "disabled" | "revoked";

/** Which keys to list. */
export interface KeyFilter {
  /** Null: of every status. */
  readonly status: KeyStatus | null;
  /** The instant at which expiry is checked. */
  readonly now: Date;
}

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

/** Why a key of this status is refused. Null: it is not. */
export function denialOfStatus(status: KeyStatus): DenialReason | null {
  return DENIALS_OF_STATUSES[status];
}
