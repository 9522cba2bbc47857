import type { KeyRecord } from "../credentials/key.ts";
import { faultOf } from "../vocabulary/request-fault.ts";

/** Throws for a revoked key: nothing brings it back. `verb` is a participle: "updated". */
export function refuseRevoked(current: KeyRecord, verb: string): void {
  if (current.revokedAt !== null) {
    throw faultOf(
      "key_revoked",
      "key_id",
      `the key was revoked, which is permanent, and cannot be ${verb}; create a new key`,
    );
  }
}
