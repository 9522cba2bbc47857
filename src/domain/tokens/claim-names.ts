import { isJsonObject } from "../vocabulary/json-object.ts";

/**
 * The names in a claim, such as those of a user's roles: a text with names separated by spaces or commas, a list of texts,
 * or an object whose keys are the names, unless they are `false` or `null` there. Anything else holds none.
 */
export function claimNames(value: unknown): readonly string[] {
  if (typeof value === "string") return value.split(/[\s,]+/).filter((name) => name !== "");
  if (Array.isArray(value)) return value.filter((name) => typeof name === "string" && name !== "");
  if (!isJsonObject(value)) return [];
  return Object.keys(value).filter((name) => name !== "" && value[name] !== false && value[name] !== null);
}
