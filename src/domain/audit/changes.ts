import { isDeepStrictEqual } from "node:util";
import { withoutCredentials } from "../vocabulary/credential-pattern.ts";
import type { Json } from "../vocabulary/json.ts";

/** The state of a record by the names that the API gives to its members. */
export type Audited = Readonly<Record<string, Json>>;

/**
 * The old and the new value of each changed member. `old` is absent for a new record, `new` for a removed one; neither lists
 * members that are null. Both are absent for a member whose values are not recorded.
 */
export type Changes = Readonly<Record<string, { readonly old?: Json; readonly new?: Json }>>;

/** Callers may put personal data here, and events cannot be erased: an event says only that they changed. */
const UNRECORDED: ReadonlySet<string> = new Set(["metadata", "external_id"]);

/** Compares two states of a record. Undefined: it does not exist. Credentials within texts are removed. */
export function changesBetween(before: Audited | undefined, after: Audited | undefined): Changes {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const isWhole = before === undefined || after === undefined;
  const changed = [...names].filter((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    return isWhole ? (old ?? now ?? null) !== null : !isDeepStrictEqual(old, now);
  });
  return Object.fromEntries(
    changed.map((name) => [name, UNRECORDED.has(name) ? {} : values(before?.[name], after?.[name])]),
  );
}

function values(before: Json | undefined, after: Json | undefined): Changes[string] {
  return { ...(before !== undefined && { old: cleaned(before) }), ...(after !== undefined && { new: cleaned(after) }) };
}

function cleaned(value: Json): Json {
  if (typeof value === "string") return withoutCredentials(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleaned(member)]));
}
