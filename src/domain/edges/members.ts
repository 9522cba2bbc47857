import { isJsonObject } from "../vocabulary/json-object.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import { decode } from "./wire.ts";

/** Whether a member may have this value. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string" && !value.includes("\0") && value.isWellFormed();
export const isTextOrNull: Check = (value) => value === null || isText(value);

/** An edge's JSON, if each member has an allowed value. Throws `RequestFault`. */
export function readAs<Read>(text: string, field: string, checks: Readonly<Record<keyof Read, Check>>): Read {
  let read: Record<string, unknown>;
  try {
    read = decode(text);
  } catch {
    throw invalid(field, "must be JSON");
  }
  if (!isJsonObject(read)) throw invalid(field, "must be a JSON object");
  const wrong = Object.entries<Check>(checks).find(([name, check]) => !check(read[name]));
  if (wrong !== undefined) throw invalid(`${field}.${wrong[0]}`, "is missing, or has no value that it may have");
  return read as Read;
}
