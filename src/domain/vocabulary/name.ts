import { isBlank } from "./blank.ts";
import { faultOf } from "./request-fault.ts";

/** The problem with a missing or blank name. */
export const NAME_REQUIRED = "is required: 1 to 128 characters, at least one of them visible";

/** A label with at least one visible character. Its length is bounded in the proto. */
export function checkedName(name: string): string {
  if (isBlank(name)) throw faultOf("required", "name", NAME_REQUIRED);
  return name;
}
