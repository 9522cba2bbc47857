import { UNCHANGED } from "./change.ts";
import type { KeyChange, KeyRecord } from "./key.ts";

/** Revocation is permanent. A second one keeps the first instant. */
export function decideRevoke(current: KeyRecord, now: Date): KeyChange {
  return current.revokedAt === null ? { patch: { revokedAt: now } } : UNCHANGED;
}
