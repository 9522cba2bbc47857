import type { Claims } from "../tokens/claims.ts";
import { invalid } from "../vocabulary/request-fault.ts";

/** A local part, one @ and a domain, without white space or control characters. Whether it exists shows when it is used. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes
const EMAIL = /^[^\s@\u0000-\u001f\u007f]+@[^\s@\u0000-\u001f\u007f]+$/u;

/** An email address of a request in the form that addresses are compared in. Throws `RequestFault`. */
export function checkedEmail(email: string): string {
  const address = foldedAddress(withoutBlanksAround(email));
  if (!EMAIL.test(address)) throw invalid("email", "must be an email address such as jo@example.com");
  return address;
}

/** `trim` would also remove a no-break space, which belongs to an address. */
function withoutBlanksAround(text: string): string {
  let [start, end] = [0, text.length];
  while (isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

/** The address in a token, if its identity provider has verified it. An unverified one may belong to another user. */
export function verifiedEmail({ email, email_verified }: Claims): string | null {
  return typeof email === "string" && email_verified === true ? foldedAddress(email) : null;
}

/**
 * With the letters A to Z in lower case, and all else as it is. `toLowerCase` would make two addresses one: it turns the
 * Kelvin sign, which anyone may put into an address of their own, into a k. So would `trim` with a no-break space.
 */
function foldedAddress(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
