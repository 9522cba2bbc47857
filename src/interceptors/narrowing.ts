import { type DescField, getOption } from "@bufbuild/protobuf";
import { Narrowing, narrowing as narrowingOption } from "../../gen/latchkey/v1/narrowing_pb.ts";
import { invalid, type RequestFault } from "../domain/vocabulary/request-fault.ts";

/**
 * The fault of a member that narrows and is null, an empty text or an empty list. An unset variable of a caller's becomes one of
 * them; taken for an absent member, it would widen what the request makes or asks. Blank texts are values, which the domain refuses.
 *
 * It is called for each member of each body, so it looks at the value first.
 */
export function emptyFault(field: DescField, value: unknown, path: string): RequestFault | undefined {
  if (value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)) return undefined;
  // An item of a list, or free JSON: the domain says what may be in it.
  if (value !== null && field.fieldKind !== (value === "" ? "scalar" : "list")) return undefined;
  const narrowing = getOption(field, narrowingOption);
  if (narrowing === Narrowing.UNSPECIFIED || (narrowing === Narrowing.BY_VALUE && value !== null)) return undefined;
  return invalid(path, `must not be ${value === null ? "null" : "empty"}; leave it out if nothing is to be narrowed`);
}
