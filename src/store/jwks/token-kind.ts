import type { Claims, TokenKind } from "../../domain/tokens/claims.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { quotable } from "../../domain/vocabulary/request-fault.ts";

/**
 * The `typ` of users' tokens, in lower case and without `application/`: ID tokens and sessions, and access tokens
 * (RFC 9068). `JOSE` says only that it is signed: JWT-SVIDs may have it, and only their `sub` shows them to be such. Every other type has
 * another purpose, such as a DPoP proof or a security event (RFC 8725, 3.11).
 */
const USER_TYPES: ReadonlyMap<string, TokenKind> = new Map([
  ["jwt", "unmarked"],
  ["at+jwt", "access"],
  ["jose", "svid"],
]);
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The kind of a user's token by the `typ` of its header. Throws `Denial` with `jwt_malformed` for any other token. */
export function userTokenKind(typ: unknown): TokenKind {
  if (typ === undefined) return "unmarked";
  if (typeof typ !== "string") {
    throw malformed(
      "The user token's header has a typ that is not a string; send a token with typ JWT, at+jwt or none.",
    );
  }
  // Media types are compared without regard to case (RFC 7515, 4.1.9).
  const kind = USER_TYPES.get(typ.toLowerCase().replace(/^application\//, ""));
  if (kind === undefined) {
    throw malformed(
      `The user token's header has the typ "${quotable(typ)}", which is not a user's token; send one with typ JWT, at+jwt or none.`,
    );
  }
  return kind;
}

/**
 * Rejects a back-channel logout token. Throws `Denial` with `jwt_malformed`.
 *
 * It carries a user's `sub` and an app's `aud`, and lies in the app's logs. Some providers give it the typ `JWT`, so only
 * its event distinguishes it from an ID token (OpenID Connect Back-Channel Logout 1.0, 2.4).
 */
export function refuseLogoutToken({ events }: Claims): void {
  if (isJsonObject(events) && Object.hasOwn(events, LOGOUT_EVENT)) {
    throw malformed("The user token is a logout token, by its claim events; send the user's ID token or access token.");
  }
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
