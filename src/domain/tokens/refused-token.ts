import { Denial } from "../vocabulary/denial.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import { isPlaceholder, isQuoted } from "./placeholder.ts";

// Before the signature is verified, messages speak only about the token's own text. They never say whether its claims or
// its kid match the configuration: an attacker could guess the configuration by trying tokens.

const JWT_PARTS = 3;
const JWE_PARTS = 5;
const ASYMMETRIC = "an asymmetric key, such as RS256, ES256 or EdDSA";

/** Refuses a token that is not three base64url parts. */
export function notCompact(token: string): Denial {
  return malformed(formProblem(token));
}

/**
 * Refuses a token that is not the operator's and no JWT, at an RPC that takes either. Most such tokens are an operator's, of
 * another service or from before it was changed. That depends only on the text and the path, so it shows nothing of the
 * operator's token, nor whether there is one.
 */
export function notOperatorsToken(token: string): Denial {
  return isPlaceholder(token) || isQuoted(token) ? notCompact(token) : malformed(NOT_THE_OPERATORS);
}

const NOT_THE_OPERATORS =
  "The token is neither this service's operator's token nor a user's token, which is a JWT; check it against the OPERATOR_TOKEN that the service was started with, or has read again since.";

/** Refuses a token whose header or payload cannot be read. */
export function undecodablePart(part: "header" | "payload"): Denial {
  return malformed(
    `The user token's ${part} is not a JSON object in base64url; send the token whole, as its issuer signed it.`,
  );
}

/** Refuses a token whose algorithm is not accepted, with any key. */
export function algorithmNotAccepted(alg: string): Denial {
  return new Denial("jwt_invalid_signature", {
    message: `${algorithmProblem(alg)}; have its issuer sign with ${ASYMMETRIC}.`,
  });
}

/** Refuses a token that no key of its issuer verifies. */
export function signatureNotVerified({ alg, kid }: { readonly alg: string; readonly kid: string | undefined }): Denial {
  const named = kid === undefined ? "no kid" : `kid "${quotable(kid)}"`;
  return new Denial("jwt_invalid_signature", {
    message: `The user token's signature (alg ${quotable(alg)}, ${named}) could not be verified with the keys of the configured issuer; check that the token is that issuer's and unchanged, and that its key is in the issuer's key set.`,
  });
}

/** Refuses a signature that is not canonical base64url. */
export function signatureNotBase64url(): Denial {
  return new Denial("jwt_invalid_signature", {
    message: "The user token's signature is not valid base64url, so it was cut or changed; send the token whole.",
  });
}

function formProblem(token: string): string {
  if (isPlaceholder(token)) {
    return "Authorization holds a placeholder and not a user token; check that the variable that holds the token is set and inserted.";
  }
  if (isQuoted(token)) {
    return "Authorization holds quotation marks around the user token; send Authorization: Bearer <USER_JWT> without them.";
  }
  if (token.startsWith("{")) {
    return "The user token is a JSON object; send it in the compact form, three base64url parts separated by dots.";
  }
  const parts = token.split(".", JWE_PARTS + 1);
  if (parts.length === 1) {
    return "The user token is opaque: it is not a JWT, which has three parts separated by dots; send the ID token, or have the issuer make access tokens that are JWTs, which some do only for a requested audience.";
  }
  if (!parts.every((part) => /^[\w-]*$/.test(part))) {
    return "The user token has a character that base64url lacks, such as =, + or /; send the token as its issuer made it.";
  }
  if (parts.length === JWE_PARTS) {
    return "The user token is encrypted: its five parts are a JWE; send the ID token, or have the issuer make access tokens that are signed and not encrypted, which some do only for a requested audience.";
  }
  if (parts.length === JWT_PARTS) return "The user token lacks its first part, the header; send the token whole.";
  const found = parts.length > JWE_PARTS ? "more than five parts" : `${parts.length} parts`;
  return `The user token has ${found} instead of the three of a JWT; send the token whole, as its issuer signed it.`;
}

function algorithmProblem(alg: string): string {
  if (/^none$/i.test(alg)) return `The user token is not signed, as its alg "${alg}" says`;
  if (/^hs\d{1,4}$/i.test(alg)) {
    return `The user token is signed with ${alg}, which takes a secret shared with its issuer and is not accepted`;
  }
  return `The user token's alg "${quotable(alg)}" is not accepted`;
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
