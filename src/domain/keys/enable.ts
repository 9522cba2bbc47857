import { UNCHANGED } from "./change.ts";
import type { KeyChange, KeyRecord } from "./key.ts";
import { refuseRevoked } from "./refuse-revoked.ts";

/** Enables a key. Idempotent. */
export function decideEnable(current: KeyRecord): KeyChange {
  refuseRevoked(current, "enabled");
  return current.disabledAt === null ? UNCHANGED : { patch: { disabledAt: null } };
}
