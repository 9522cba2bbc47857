import { isBlank } from "../vocabulary/blank.ts";
import { type Claims, findClaim } from "./claims.ts";

/** Counts Unicode characters, so an emoji is one. `X-On-Behalf-Of` names the same users and counts alike. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const IDENTIFIER = /^[^\u0000-\u001f\u007f]{1,256}$/u;

/**
 * The identifier in a claim: a string of 1 to 256 characters, at least one of them visible, without control characters.
 * Anything else is not an identifier. A number is not converted to a string, since `5` and `"5"` could be two users.
 */
export function identifierClaim(claims: Claims, claim: string): string | undefined {
  const value = findClaim(claims, claim);
  return typeof value === "string" && isIdentifier(value) ? value : undefined;
}

/** Whether a text can be the id of a user or of a tenant. */
export function isIdentifier(text: string): boolean {
  return !isBlank(text) && IDENTIFIER.test(text) && text.isWellFormed();
}
