import { isPlaceholder } from "./placeholder.ts";

const SEND = "send Authorization: Bearer <USER_JWT>";
/** Schemes that may be named in a message. Another first word could be a credential itself. */
const OTHER_SCHEMES: ReadonlyMap<string, string> = new Map([
  ["basic", "Authorization holds Basic credentials, a user name and a password, which are not accepted"],
  ["digest", "Authorization holds Digest credentials, which are not accepted"],
  ["negotiate", "Authorization holds Negotiate credentials, which are not accepted"],
  ["dpop", "Authorization has the scheme DPoP without exactly one token behind it"],
  ["token", 'Authorization begins with the word "Token" instead of Bearer'],
  ["jwt", 'Authorization begins with the word "JWT" instead of Bearer'],
]);

/** The fault of an `Authorization` value that holds no Bearer token, and its remedy; without any of the value. */
export function authorizationProblem(value: string): string {
  return `${problem(value)}; ${SEND}.`;
}

function problem(value: string): string {
  const [first = "", ...rest] = value.trim().split(/\s+/);
  const scheme = first.toLowerCase();
  if (scheme === "bearer") return bearerProblem(rest);
  const other = OTHER_SCHEMES.get(scheme);
  if (other !== undefined) return other;
  if (/^bearer\W/i.test(first)) return "Authorization has something other than a space behind the word Bearer";
  if (rest.length > 0) return "Authorization holds several words, and the first is not Bearer";
  if (isPlaceholder(first)) return "Authorization holds a placeholder and not a token";
  return first.includes(".")
    ? "Authorization holds a token without the word Bearer before it"
    : "Authorization does not begin with the word Bearer";
}

function bearerProblem(rest: readonly string[]): string {
  if (rest.length === 0) return "Authorization holds the word Bearer without a token behind it";
  if (rest.some((word) => word.includes(","))) return "Authorization holds several values, joined by a comma";
  if (rest.some((word) => /^bearer$/i.test(word))) return "Authorization holds the word Bearer twice";
  if (rest.length > 1) return "Authorization holds more than one word behind Bearer";
  return "Authorization has something other than a space around the word Bearer";
}
