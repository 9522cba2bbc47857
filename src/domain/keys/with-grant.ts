import type { Grant } from "../access/grant.ts";
import type { KeyRecord } from "../credentials/key.ts";
import type { KeyChange } from "./key-change.ts";

/** The same verb for callers that may grant all permissions of the key that it results in. */
export function withGrant<Current extends KeyRecord>(
  grant: Grant,
  decide: (current: Current, now: Date) => KeyChange,
): (current: Current, now: Date) => KeyChange {
  return (current, now) => {
    const change = decide(current, now);
    grant(current.tenantId, change.patch.permissions ?? current.permissions);
    return change;
  };
}
