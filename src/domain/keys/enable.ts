import type { KeyChange, KeyRecord } from "./key.ts";
import { UNCHANGED } from "./mutate.ts";
import { refuseRevoked } from "./refuse-revoked.ts";

/** Switches a key on; harmless where it is on already. */
export function decideEnable(current: KeyRecord): KeyChange {
  refuseRevoked(current, "enabled");
  return current.disabledAt === null ? UNCHANGED : { patch: { disabledAt: null } };
}
