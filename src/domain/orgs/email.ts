import type { Claims } from "../identity/claims.ts";
import { invalid } from "../request-fault.ts";

/** A local part, one @ and a domain, without white space or control characters. Whether it exists shows when it is used. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes
const EMAIL = /^[^\s@\u0000-\u001f\u007f]+@[^\s@\u0000-\u001f\u007f]+$/u;

/** An email address in the form that addresses are compared in. Throws `RequestFault`. */
export function checkedEmail(email: string): string {
  const address = email.trim().toLowerCase();
  if (!EMAIL.test(address)) throw invalid("email", "must be an email address such as jo@example.com");
  return address;
}

/** The address in a token, if its identity provider has verified it. An unverified one may belong to another user. */
export function verifiedEmail({ email, email_verified }: Claims): string | null {
  return typeof email === "string" && email_verified === true ? email.trim().toLowerCase() : null;
}
