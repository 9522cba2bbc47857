import type { Audited } from "../audit/changes.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { auditedInstant } from "./audited-values.ts";
import type { NewKey } from "./key-change.ts";
import type { KeyDetails } from "./key-details.ts";
import { AUDITED_FIELDS } from "./key-fields.ts";

/** A key as the audit trail compares it: all that callers can change, and nothing that is derived from the secret. */
export function auditedKey(key: KeyRecord & Partial<Pick<KeyDetails, "leak" | "imported">>): Audited {
  return {
    ...Object.fromEntries(AUDITED_FIELDS.map(({ name, audited }) => [name, audited(key)])),
    leaked_at: auditedInstant(key.leak?.at ?? null),
    leak_url: key.leak?.url ?? null,
    leak_source: key.leak?.source ?? null,
    imported: key.imported ? true : null,
    key_format: key.imported?.keyFormat || null,
  };
}

/** A new key. Of one whose creator made the secret, the event says so: it was never with the service. */
export function auditedNewKey({ record, isCallerMade = false }: NewKey): Audited {
  return { ...auditedKey(record), ...(isCallerMade && { secret_made_by_caller: true }) };
}
