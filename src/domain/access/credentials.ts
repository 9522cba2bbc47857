import { secretForm } from "../credentials/secret.ts";
import { authorizationProblem } from "../tokens/authorization-problem.ts";
import { Denial } from "../vocabulary/denial.ts";

/**
 * The credential headers of one request, each with all of its values: two are never silently merged. Each byte of a
 * value is one character.
 */
export interface CredentialHeaders {
  readonly apiKey: readonly string[];
  readonly authorization: readonly string[];
  readonly onBehalfOf: readonly string[];
  /** Proofs of possession (RFC 9449). */
  readonly dpop: readonly string[];
}

/** The credentials of a request, before any of them is authenticated. */
export type Credentials =
  | {
      readonly kind: "api_key";
      readonly secret: string;
      /** All values. Two are rejected, but only after the key has been looked up. */
      readonly authorization: readonly string[];
    }
  | { readonly kind: "user_token"; readonly token: string }
  /** By the scheme DPoP. The proof is of its sender's key. */
  | { readonly kind: "bound_token"; readonly token: string };

/**
 * One scheme, spaces or tabs, one token (RFC 9110, 11.4 has spaces; some clients send a tab). Two parsers could read anything
 * else differently, such as a comma or a second word.
 */
const BEARER = /^bearer[ \t]+([^\s,]+)$/i;
/** Three parts, or the five of an encrypted token, of which all but the first may be empty. */
const TOKEN = /^(?:bearer[ \t]+)?[\w-]+(?:\.[\w-]*){2}(?:(?:\.[\w-]*){2})?$/i;
const DPOP = /^dpop[ \t]+([^\s,]+)$/i;
const DPOP_SCHEME = /^dpop\s/i;
/** White space that may surround a key. */
const WORD_ENDS = /[\s,;:="'<>]+/;
const BEARER_SCHEME = /^bearer\s/i;

/** Reads the credentials of a request. A request with an API key is authenticated only by that key, without fallback. */
export function readCredentials({ apiKey, authorization }: CredentialHeaders): Credentials {
  if (apiKey.length > 1) {
    throw new Denial("api_key_invalid", { message: "X-API-Key was sent more than once; send exactly one key." });
  }
  const [secret] = apiKey;
  if (secret !== undefined) return { kind: "api_key", secret, authorization };
  const value = onlyAuthorization(authorization);
  // Some clients send an empty header when no user is signed in.
  if (value === undefined || value === "") throw new Denial("missing_credentials");
  const [, bound] = DPOP.exec(value) ?? [];
  if (bound !== undefined) return { kind: "bound_token", token: bound };
  return { kind: "user_token", token: bearerToken(value) ?? refuseScheme(value) };
}

/** The same, or why the headers hold no credentials that can be checked. */
export function credentialsIn(headers: CredentialHeaders): Credentials | Denial {
  try {
    return readCredentials(headers);
  } catch (err) {
    if (err instanceof Denial) return err;
    throw err;
  }
}

/** The one value of `Authorization`, if any. Two are rejected: a proxy may have checked one, and we would use the other. */
export function onlyAuthorization(authorization: readonly string[]): string | undefined {
  if (authorization.length > 1) {
    throw new Denial("jwt_malformed", {
      message: "Authorization was sent more than once; send exactly one Authorization header.",
    });
  }
  return authorization[0];
}

/** Whether a value has the Bearer scheme; its token may be malformed. Another scheme, or none, presents no user token. */
export function presentsBearer(authorization: string): boolean {
  return BEARER_SCHEME.test(authorization);
}

/** Whether a value has the scheme DPoP, by which a token comes with a proof. */
export function presentsBoundToken(authorization: string | undefined): boolean {
  return authorization !== undefined && DPOP_SCHEME.test(authorization);
}

/** The token of an `Authorization` value with the scheme Bearer or DPoP. */
export function sentToken(authorization: string): string | undefined {
  return bearerToken(authorization) ?? DPOP.exec(authorization)?.[1];
}

/** The token of an `Authorization: Bearer <token>` value. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Refuses an API key in an `Authorization` without a token: behind another scheme, in a parameter, as a user name or a password. */
export function refuseKeyInAuthorization(value: string, isBesideKey = false): void {
  const [, basic] = /^basic[ \t]+(\S+)$/i.exec(value) ?? [];
  const decoded = basic === undefined ? "" : Buffer.from(basic, "base64").toString("latin1");
  for (const word of `${value} ${decoded}`.split(WORD_ENDS)) refuseKeyAsToken(word, isBesideKey);
}

/** Refuses an API key sent as a token. `isBesideKey`: the request has one in `X-API-Key`, too. */
export function refuseKeyAsToken(token: string, isBesideKey = false): void {
  if (secretForm(token) === "invalid") return;
  const remedy = isBesideKey ? "send the user's token there, as Bearer <USER_JWT>" : "send it in X-API-Key";
  throw new Denial("jwt_malformed", { message: `Authorization holds an API key; ${remedy}.` });
}

/** Whether a value that should be a key looks like a user token, with or without its scheme. */
export function looksLikeToken(value: string): boolean {
  return TOKEN.test(value);
}

function refuseScheme(value: string): never {
  refuseKeyInAuthorization(value);
  throw new Denial("jwt_malformed", { message: authorizationProblem(value) });
}
