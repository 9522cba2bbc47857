import type { KeyRecord } from "../credentials/key.ts";
import { UNCHANGED } from "./change.ts";
import type { KeyChange } from "./key-change.ts";
import { refuseRevoked } from "./refuse-revoked.ts";
import { checkEnabled } from "./within-policy.ts";

/** Enables a key. Idempotent. */
export function decideEnable(current: KeyRecord): KeyChange {
  refuseRevoked(current, "enabled");
  if (current.disabledAt === null) return UNCHANGED;
  return { patch: { disabledAt: null }, check: checkEnabled(current) };
}
