import type { SecretHash } from "../credentials/key.ts";
import { hashSecret, secretForm } from "../credentials/secret.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { ForeignKeys } from "./foreign-keys.ts";

/** The hash by which a key is found, of this service or of another system. Undefined: the text can be neither. */
export function hashOfKey(foreignKeys: Pick<ForeignKeys, "hashOf">, text: string): Awaitable<SecretHash | undefined> {
  return secretForm(text) === "well_formed" ? hashSecret(text) : foreignKeys.hashOf(text);
}
