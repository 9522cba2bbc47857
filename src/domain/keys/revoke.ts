import type { KeyRecord } from "../credentials/key.ts";
import { UNCHANGED } from "./change.ts";
import type { KeyChange } from "./key-change.ts";

/** Revocation is permanent. A second one keeps the first instant. */
export function decideRevoke(current: KeyRecord, now: Date): KeyChange {
  return current.revokedAt === null ? { patch: { revokedAt: now } } : UNCHANGED;
}
