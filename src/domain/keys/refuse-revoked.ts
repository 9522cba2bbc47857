import { RequestFault } from "../request-fault.ts";
import type { KeyRecord } from "./key.ts";

/** Nothing brings a revoked key back. `verb` is what was asked, as a participle: "updated". */
export function refuseRevoked(current: KeyRecord, verb: string): void {
  if (current.revokedAt !== null) {
    throw new RequestFault(
      "failed_precondition",
      `key_id: the key was revoked, which is permanent, and cannot be ${verb}; create a new key`,
    );
  }
}
