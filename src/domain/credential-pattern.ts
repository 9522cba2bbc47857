/** Matches keys, longer parts of keys than `key_prefix` shows, tokens of users and of invitations. */
const CREDENTIAL = /[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{10,}|inv_[\w-]{20,}|eyJ[\w-]{10,}(?:\.[\w-]*)*/g;

/** Replaces each credential in a text by `...`: people paste them anywhere. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIAL, "...");
}
