/**
 * Keys, tokens of users and invitations, and parts of them. In any case of letters, since a URL's host is in lower case.
 * The service has its own pattern, which this program, a client, does not load.
 */
const CREDENTIAL = /\b(?:[sp]k_\w{10,}|inv_[\w-]{20,}|eyJ[\w-]{10,}(?:\.[\w-]*)*)/gi;

/** The operator's token has no form of its own, but at least 32 characters. No option's name is so long. */
const LONG_WORD = /[\w.+/-]{24,}/g;

/** Replaces each credential in a text by `...`: an error ends up in logs of build jobs and on other people's screens. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIAL, "...");
}

/** The same for a text that repeats arguments as they were given, where any long word may be a secret. */
export function withoutArguments(text: string): string {
  return withoutCredentials(text).replace(LONG_WORD, "...");
}
