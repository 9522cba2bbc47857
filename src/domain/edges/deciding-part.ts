import type { KeyRecord } from "../credentials/key.ts";

/** A key as far as it decides about calls, and what Verify answers about it. What people call it does not leave the service. */
export function decidingPart(key: KeyRecord): KeyRecord {
  return { ...key, secretPrefix: "", name: "", description: "" };
}
