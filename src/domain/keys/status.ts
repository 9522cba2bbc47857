import type { KeyRecord } from "./key.ts";

export type KeyStatus = "active" | "expired" | "disabled" | "revoked";

/** The state of a key at an instant. Where several hold: revoked, then disabled, then expired. */
export function keyStatus(key: Pick<KeyRecord, "revokedAt" | "disabledAt" | "expiresAt">, now: Date): KeyStatus {
  if (key.revokedAt !== null) return "revoked";
  if (key.disabledAt !== null) return "disabled";
  if (key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime()) return "expired";
  return "active";
}
