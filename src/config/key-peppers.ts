import { PEPPER_CHARS_MIN, type Peppers } from "../domain/key-formats/peppers.ts";
import { isJsonObject } from "../domain/vocabulary/json-object.ts";
import { readJsonFile } from "./json-file.ts";
import type { Reader } from "./reader.ts";

const FILE = "KEY_PEPPERS_FILE";
const NAME = /^[\w.-]{1,64}$/;

/** The secrets with which other systems have hashed their keys: a JSON object of names and texts. */
export function readKeyPeppers(reader: Reader): Peppers {
  const value = readJsonFile(reader, FILE);
  const none: Peppers = new Map();
  if (value === undefined) return none;
  if (!isJsonObject(value)) return reader.refuse(FILE, "names a file that is not a JSON object of peppers") ?? none;
  const peppers = new Map<string, string>();
  for (const [name, pepper] of Object.entries(value)) {
    if (NAME.test(name) && typeof pepper === "string" && pepper.length >= PEPPER_CHARS_MIN) peppers.set(name, pepper);
    else
      reader.refuse(
        FILE,
        `names a file whose members must be names of 1 to 64 letters, digits, "_", "." and "-", each with a text of at least ${PEPPER_CHARS_MIN} characters`,
      );
  }
  return peppers;
}
