import { errors } from "jose";
import type { DenialReason } from "../../domain/denial.ts";

/**
 * What an error of the library says about a token whose key set we have. All of it is the token's or the key's fault:
 * even what we did not foresee (a TypeError, a DOMException of a key that does not fit) means "not verified" and must not
 * become a 500, or anyone could raise our alerts with a crafted token.
 */
export function tokenFault(err: unknown): Extract<DenialReason, "jwt_malformed" | "jwt_invalid_signature"> {
  if (!(err instanceof errors.JOSEError)) return "jwt_invalid_signature";
  switch (err.code) {
    case errors.JWSInvalid.code:
    case errors.JWTInvalid.code:
    case errors.JOSENotSupported.code:
      return "jwt_malformed";
    default:
      return "jwt_invalid_signature";
  }
}
