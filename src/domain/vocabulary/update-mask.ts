import { likely } from "./nearest.ts";
import { faultOf, quotable } from "./request-fault.ts";
import { snakeCase } from "./snake-case.ts";

/** The fields that a mask names in either spelling, with commas between them, each among those that can be updated. */
export function fieldsOfMask<Field extends string>(mask: string, maskable: readonly Field[]): ReadonlySet<Field> {
  const fields = new Set<Field>();
  for (const part of mask.split(",")) {
    const path = part.trim();
    const field = maskable.find((known) => snakeCase<string>(known) === snakeCase(path));
    if (field === undefined) throw faultOf("invalid_update_mask", "update_mask", maskProblem(mask, path, maskable));
    fields.add(field);
  }
  return fields;
}

function maskProblem(mask: string, path: string, maskable: readonly string[]): string {
  const known = maskable.join(", ");
  if (mask.trim() === "") return `is required: a comma-separated list of ${known}`;
  if (path === "") return "has an empty entry; remove the comma that is too many";
  const meant = likely(path, maskable);
  const advice = meant === undefined ? `name only ${known}` : `did you mean "${meant}"? The mask takes ${known}`;
  return `"${quotable(path)}" cannot be updated; ${advice}`;
}
