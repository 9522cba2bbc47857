import { looksLikeToken } from "../access/credentials.ts";
import { DISPLAY_CHARS, SECRET_CHARS, withoutBrand } from "../credentials/secret.ts";
import { isPlaceholder, isQuoted } from "../tokens/placeholder.ts";
import { Denial } from "../vocabulary/denial.ts";

// The messages describe the form of a value, which is public (docs/promises.md publishes form and checksum). They never
// repeat the value: most of these are good keys with a typing mistake.

/**
 * Refuses a value of `X-API-Key` that does not look like a key. `isForOperator`: the operator may call, so that it is most likely the
 * operator's token. That depends on the path and the form of the text, so it shows nothing of that token.
 */
export function notAKey(value: string, isForOperator = false): Denial {
  const message = notAKeyProblem(value) ?? (isForOperator ? NOT_FOR_THE_OPERATOR : undefined);
  return new Denial("api_key_invalid", message === undefined ? {} : { message });
}

/** Refuses a value that begins like a key but cannot be one of this service, whose new keys have the brand. */
export function mistypedKey(value: string, brand: string | null): Denial {
  return new Denial("api_key_not_found", { message: mistypedKeyProblem(value, brand) });
}

const NOT_FOR_THE_OPERATOR =
  "X-API-Key holds no API key; send the operator's token as Authorization: Bearer <OPERATOR_TOKEN>, without X-API-Key.";

function notAKeyProblem(value: string): string | undefined {
  if (value === "") return "X-API-Key is empty; check that the variable that holds the key is set.";
  if (isPlaceholder(value)) {
    return "X-API-Key holds a placeholder and not a key; check that the variable that holds the key is set and inserted.";
  }
  if (looksLikeToken(value)) return "X-API-Key holds a user token; send it as Authorization: Bearer <USER_JWT>.";
  if (isQuoted(value)) return "X-API-Key holds quotation marks around its value; send the key without them.";
  if (/^bearer\b/i.test(value)) {
    return "X-API-Key begins with the word Bearer, which belongs to Authorization; send only the key.";
  }
  if (value.includes(",")) return "X-API-Key holds several values, joined by a comma; send exactly one key.";
  if (/\s/.test(value)) return "X-API-Key holds a space within its value; send exactly one key, without spaces.";
  if (/^key_/.test(value)) {
    return "X-API-Key holds a key_id, which only names a key; send the key itself, beginning with sk_ or pk_.";
  }
  if (/^[sp]k-/i.test(value)) {
    return "X-API-Key begins with sk- or pk-, as other services' keys do; send a key of this service, beginning with sk_ or pk_.";
  }
  if (/^[sp]k_./i.test(value) && !/^[sp]k_/.test(value)) {
    return "X-API-Key begins with capital letters; send the key as it was made, beginning with sk_ or pk_.";
  }
  return undefined;
}

function mistypedKeyProblem(value: string, brand: string | null): string {
  // Any other brand is a key of another service, which has such a character.
  const bare = brand !== null && value.startsWith(`${brand}_`, 3) ? withoutBrand(value) : value;
  const chars = SECRET_CHARS + value.length - bare.length;
  if (/[^\w]/.test(value) || bare.indexOf("_", 3) >= 0) {
    return "This API key has a character that no key has behind sk_ or pk_; send it as it was created, with only letters and digits.";
  }
  if (value.length === DISPLAY_CHARS) {
    return `This API key has ${DISPLAY_CHARS} of ${SECRET_CHARS} characters, as key_prefix shows them; send the whole key, which only the answer that made it holds.`;
  }
  if (value.length < chars) {
    return `This API key was cut: it has ${value.length} of ${chars} characters; send the whole key, as it was made.`;
  }
  if (value.length > chars) {
    return `This API key is too long: it has ${value.length} characters instead of ${chars}; remove what does not belong to it.`;
  }
  return "This API key is mistyped: its last 6 characters are a checksum, which does not fit the others; send the key exactly as it was made.";
}
