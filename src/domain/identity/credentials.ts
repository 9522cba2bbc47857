import { Denial } from "../denial.ts";
import { secretForm } from "../keys/secret.ts";
import { authorizationProblem } from "./authorization-problem.ts";

/**
 * The credential headers of one request, each with all of its values: two are never silently made one. HTTP gives them as
 * bytes; each is one character here.
 */
export interface CredentialHeaders {
  readonly apiKey: readonly string[];
  readonly authorization: readonly string[];
  readonly onBehalfOf: readonly string[];
}

/** What a request presents, before any of it is believed. */
export type Credentials =
  | {
      readonly kind: "api_key";
      readonly secret: string;
      /** All values: two refuse a key's user, but not before it is known whose key it is. */
      readonly authorization: readonly string[];
    }
  | { readonly kind: "user_token"; readonly token: string };

/** One scheme, one space, one token: anything else is two parsers' chance to disagree. */
const BEARER = /^bearer ([^\s,]+)$/i;
/** Three parts, or the five of an encrypted token, of which all but the first may be empty. */
const TOKEN = /^(?:bearer )?[\w-]+(?:\.[\w-]*){2}(?:(?:\.[\w-]*){2})?$/i;
const BEARER_SCHEME = /^bearer\s/i;

/** Reads the credentials of a request. No fall-through: a request with an API key stands or falls by that key. */
export function readCredentials({ apiKey, authorization }: CredentialHeaders): Credentials {
  if (apiKey.length > 1) {
    throw new Denial("api_key_invalid", { message: "X-API-Key was sent more than once; send exactly one key." });
  }
  const [secret] = apiKey;
  if (secret !== undefined) return { kind: "api_key", secret, authorization };
  const value = onlyAuthorization(authorization);
  // Some clients send the header with nothing in it where nobody has signed in.
  if (value === undefined || value === "") throw new Denial("missing_credentials");
  return { kind: "user_token", token: bearerToken(value) ?? refuseScheme(value) };
}

/** The one value of `Authorization`, if there is one. Of two, each could be the one that somebody else has judged. */
export function onlyAuthorization(authorization: readonly string[]): string | undefined {
  if (authorization.length > 1) {
    throw new Denial("jwt_malformed", {
      message: "Authorization was sent more than once; send exactly one Authorization header.",
    });
  }
  return authorization[0];
}

/** Whether a value means to be a Bearer token, well-formed or not: another scheme, or none, presents no user token. */
export function presentsBearer(authorization = ""): boolean {
  return BEARER_SCHEME.test(authorization);
}

/** The token of an `Authorization: Bearer <token>` value. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Refuses an API key in the place of a token. `isBesideKey`: one came in `X-API-Key`, where it belongs, too. */
export function refuseKeyAsToken(token: string, isBesideKey = false): void {
  if (secretForm(token) === "invalid") return;
  const remedy = isBesideKey ? "send the user's token there, as Bearer <USER_JWT>" : "send it in X-API-Key";
  throw new Denial("jwt_malformed", { message: `Authorization holds an API key; ${remedy}.` });
}

/** Whether a value that should be a key means to be a user token, with its scheme or without. */
export function looksLikeToken(value: string): boolean {
  return TOKEN.test(value);
}

function refuseScheme(value: string): never {
  refuseKeyAsToken(value);
  throw new Denial("jwt_malformed", { message: authorizationProblem(value) });
}
