import type { KeyRecord } from "../credentials/key.ts";
import { UNCHANGED } from "./change.ts";
import type { KeyChange } from "./key-change.ts";
import { refuseRevoked } from "./refuse-revoked.ts";

/** Disables a key. Idempotent. */
export function decideDisable(current: KeyRecord, now: Date): KeyChange {
  refuseRevoked(current, "disabled");
  return current.disabledAt === null ? { patch: { disabledAt: now } } : UNCHANGED;
}
