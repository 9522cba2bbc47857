import { Code, ConnectError } from "@connectrpc/connect";
import { isObject, kindOf } from "./plain-object.ts";
import { memberPath, unknownName } from "./unknown-member.ts";

/** The names of a type's members; to leave one out does not compile. */
export function namesOf<T>(names: Record<keyof T, true>): readonly string[] {
  return Object.keys(names);
}

/**
 * Throws a `TypeError` for an option that is not in `names`. If it were ignored, a misspelt `onBehalfOf` would let a call act
 * for the whole tenant. `undefined` is absent.
 */
export function checkOptions(options: unknown, names: readonly string[], path = ""): void {
  const problem = problemOf(options, names, path, path || "options");
  if (problem !== undefined) throw new TypeError(problem);
}

/** As `checkOptions`, for what a call is given: it fails with a `ConnectError` with code `invalid_argument`. */
export function checkArgument(given: unknown, names: readonly string[], what: string): void {
  const problem = problemOf(given, names, "", what);
  if (problem !== undefined) throw new ConnectError(problem, Code.InvalidArgument);
}

function problemOf(options: unknown, names: readonly string[], path: string, what: string): string | undefined {
  if (!isObject(options)) return `${what} must be an object, not ${kindOf(options)}`;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue;
    return `${memberPath(path, name)}: ${unknownName(name, names, "this object")}`;
  }
  return undefined;
}
