import type { Audited } from "../audit/changes.ts";
import { auditedList } from "../keys/audited-values.ts";
import type { KeyFormat } from "./key-format.ts";

/** A format as the audit trail compares it. */
export function auditedFormat(format: KeyFormat): Audited {
  const { prefix, lengthMin, lengthMax, alphabet, algorithm, pepper, hashedPart, separator, isBearer, tenants } =
    format;
  return {
    ...{ prefix, alphabet, case: format.case, algorithm, separator },
    length_min: lengthMin,
    length_max: lengthMax,
    pepper: pepper || null,
    hashed_part: hashedPart,
    bearer: isBearer,
    tenants: auditedList(tenants),
  };
}
