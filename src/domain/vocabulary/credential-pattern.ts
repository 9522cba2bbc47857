/** Matches keys, longer parts of keys than `key_prefix` shows, tokens of users and of invitations. */
const CREDENTIAL = /[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{10,}|inv_[\w-]{20,}|eyJ[\w-]{10,}(?:\.[\w-]*)*/g;

/** The same in a URL, whose host may be in lower case. There, a name may have such letters within a word. */
const CREDENTIAL_IN_URL = new RegExp(`(?<![0-9A-Za-z])(?:${CREDENTIAL.source})`, "gi");

/**
 * A whole key anywhere; at the beginning of a word, a part of a key, also one that lacks the first character; tokens of users
 * and of invitations. A word such as `task_01hzx3` of somebody's own identifiers is not a key.
 */
const CREDENTIAL_IN_ID =
  /[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{36}|(?<![0-9A-Za-z])(?:[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{10}|k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{30})|inv_[\w-]{20}|eyJ[\w-]{10}/;

/** Replaces each credential in a text by `...`: people paste them anywhere. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIAL, "...");
}

/** The same for a URL. */
export function urlWithoutCredentials(url: string): string {
  return url.replace(CREDENTIAL_IN_URL, "...");
}

/** Whether an identifier of a caller's own looks like a credential or a part of one. */
export function looksLikeCredential(id: string): boolean {
  return CREDENTIAL_IN_ID.test(id);
}
