import { createHmac } from "node:crypto";
import type { KeyFormat } from "./key-format.ts";

/** The shortest pepper: its fingerprint is in the database, so it must not be found by trying. */
export const PEPPER_CHARS_MIN = 16;

/** The peppers of the configuration, by their names. */
export type Peppers = ReadonlyMap<string, string>;

/** Identifies a pepper without showing it, so that a changed one is noticed and not taken for unknown keys. */
export function fingerprintOf(pepper: string): string {
  return createHmac("sha256", pepper).update("lk-pepper-1").digest("hex").slice(0, 32);
}

/** Why keys of a format cannot be checked, as a sentence. Undefined: they can. */
export function pepperProblem(
  { name, pepper, pepperFingerprint }: Pick<KeyFormat, "name" | "pepper" | "pepperFingerprint">,
  peppers: Peppers,
): string | undefined {
  if (pepper === "") return undefined;
  const secret = peppers.get(pepper);
  const remedy = "put back the one with which the keys were hashed";
  if (secret === undefined) return `KEY_PEPPERS_FILE lacks the pepper ${pepper} of the key format ${name}: ${remedy}`;
  if (fingerprintOf(secret) === pepperFingerprint) return undefined;
  return `KEY_PEPPERS_FILE has another pepper ${pepper} than the one of the key format ${name}: ${remedy}`;
}
