import { readFileSync } from "node:fs";
import { duplicateMember } from "../domain/vocabulary/duplicate-member.ts";
import { codeOf } from "../domain/vocabulary/error-code.ts";
import { quotable } from "../domain/vocabulary/request-fault.ts";
import type { Reader } from "./reader.ts";

/** Reads the JSON file that a variable names. Undefined: the variable is not set, or the file is not JSON. */
export function readJsonFile(reader: Reader, name: string): unknown {
  const path = reader.text(name);
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (err) {
    return reader.refuse(name, `names a file that cannot be read (${codeOf(err) ?? "unknown error"})`);
  }
  return parseJson(reader, name, text, "names a file that");
}

/** Reads a variable that holds JSON itself. Undefined: it is not set, or no JSON. */
export function readJsonText(reader: Reader, name: string): unknown {
  const text = reader.text(name);
  return text === undefined ? undefined : parseJson(reader, name, text, "is a text that");
}

/** Messages name members but never quote values: it may be another file, with secrets, by mistake. */
function parseJson(reader: Reader, name: string, text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return reader.refuse(name, `${what} is not JSON`);
  }
  const duplicate = duplicateMember(text);
  if (duplicate === undefined) return value;
  return reader.refuse(name, `${what} has the member ${quotable(duplicate.join("."))} twice`);
}
