import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { RowProblem } from "./read-result.ts";

/** An element of an array of PostgreSQL: within quotes, or up to the next comma. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|[^,]+/g;

/** JSON that is stored as a text. */
export function parsedText(member: string, text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    throw new RowProblem(member, "must be JSON");
  }
}

/** A list of texts in each form that tables have: `["a","b"]`, `{a,"b"}`, `a b`, `a,b`. */
export function textsOf(member: string, value: unknown): readonly string[] {
  const list = typeof value === "string" ? listIn(member, value.trim()) : value;
  if (!Array.isArray(list)) throw new RowProblem(member, "must be a list of texts");
  return list.map((each: unknown, index) => {
    if (typeof each !== "string" || each.includes("\0")) throw new RowProblem(`${member}[${index}]`, "must be a text");
    return each;
  });
}

function listIn(member: string, text: string): unknown {
  if (text.startsWith("[")) return parsedText(member, text);
  if (text.startsWith("{") && text.endsWith("}")) return [...text.slice(1, -1).matchAll(ELEMENT)].map(elementOf);
  return text.split(/[\s,]+/).filter((part) => part !== "");
}

function elementOf([whole, quoted]: RegExpMatchArray): string {
  return quoted === undefined ? whole.trim() : quoted.replace(/\\(.)/g, "$1");
}
