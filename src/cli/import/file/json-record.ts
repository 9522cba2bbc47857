import { duplicateMember } from "../../../domain/vocabulary/duplicate-member.ts";
import { parseForeignJson } from "../../../domain/vocabulary/foreign-json.ts";
import { kindOf } from "../../../domain/vocabulary/json-kind.ts";
import { isJsonObject } from "../../../domain/vocabulary/json-object.ts";
import { Members } from "../members.ts";
import type { Problem, Read } from "../read-result.ts";
import { type Latin1, utf8Of } from "./utf8.ts";

/** One JSON object of a file. */
export function jsonRecord(line: number, bytes: Latin1): Read<Members> {
  const text = utf8Of(bytes);
  if (text === undefined) return { line, problem: { message: "is not valid UTF-8" } };
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    return { line, problem: { message: "is not valid JSON" } };
  }
  if (!isJsonObject(value)) return { line, problem: { message: `must be a JSON object, not ${kindOf(value)}` } };
  const problem = duplicateIn(text);
  return problem === undefined ? { line, row: Members.of(value) } : { line, problem };
}

/** Parsers disagree which of two members counts. */
function duplicateIn(text: string): Problem | undefined {
  const path = duplicateMember(text);
  return path && { member: path.join("."), message: "is given twice in one object" };
}
