import { Denial } from "../vocabulary/denial.ts";
import type { Claims, TokenExpectation, TokenKind } from "./claims.ts";
import { confirmedKey } from "./confirmation.ts";
import {
  audienceDiffers,
  expired,
  inFuture,
  issuerDiffers,
  notSvid,
  otherTokenType,
  partyNotAuthorized,
} from "./refused-claims.ts";
import { isSameAudience } from "./same-audience.ts";
import type { TokenCheck } from "./token-check.ts";

/** A token whose signature is verified, at an instant. */
export interface VerifiedToken {
  readonly claims: Claims;
  readonly kind: TokenKind;
  /** The time in seconds since 1970. */
  readonly nowS: number;
}

type Check = TokenCheck<VerifiedToken, TokenExpectation>;

/** Tolerated difference between a token's times and our clock, in seconds. */
const LEEWAY_S = 5;
/** Tolerance for `iat`. An issuer whose clock is further ahead cannot be trusted with `exp` either. */
const ISSUED_LEEWAY_S = 60;
/** Doubles beyond it do not count whole seconds: such an `exp` is not a date, and the token would never expire. */
const EXP_END_S = 2 ** 53;

/** How each SPIFFE ID begins, which a JWT-SVID has as its `sub`. */
const SPIFFE = "spiffe://";

const TOKEN_TYPE: Check = {
  name: "token_type",
  denialOf({ kind, claims: { sub } }, { tokenType = "any" }) {
    if (kind === "svid" && !(typeof sub === "string" && sub.startsWith(SPIFFE))) return notSvid();
    const isOther = (tokenType === "access" && kind !== "access") || (tokenType === "id" && kind === "access");
    return isOther ? otherTokenType(tokenType) : undefined;
  },
  needed: ({ tokenType = "any" }) => tokenType,
  found: ({ kind }) => (kind === "access" ? "access, by the typ at+jwt" : "unmarked: another typ than at+jwt"),
  passes: "The kind of token is accepted.",
};

const ISSUER: Check = {
  name: "issuer",
  denialOf: ({ claims }, { issuer }) => (claims.iss === issuer ? undefined : issuerDiffers(claims.iss, issuer)),
  needed: ({ issuer }) => issuer,
  found: ({ claims }) => claims.iss,
  passes: "The claim iss is the issuer.",
};

const AUDIENCE: Check = {
  name: "audience",
  denialOf({ claims }, { audience, audienceClaim = "aud" }) {
    const accepted = typeof audience === "string" ? [audience] : audience;
    if (audienceClaim !== "aud" && claims.aud === undefined) {
      const value = claims[audienceClaim];
      return accepts(accepted, value) ? undefined : audienceDiffers(value, audience, audienceClaim);
    }
    const audiences: readonly unknown[] = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
    const areTexts = audiences.every((member) => typeof member === "string");
    return areTexts && audiences.some((each) => accepts(accepted, each))
      ? undefined
      : audienceDiffers(claims.aud, audience);
  },
  needed: ({ audience }) => (typeof audience === "string" ? audience : audience.join(", ")),
  found: ({ claims }, { audienceClaim = "aud" }) => claims.aud ?? claims[audienceClaim],
  passes: "The token is for the audience.",
};

const AUTHORIZED_PARTY: Check = {
  name: "authorized_party",
  denialOf(token, { authorizedParties }) {
    if (authorizedParties === undefined) return undefined;
    const claim = partyClaim(token);
    const party = token.claims[claim];
    return authorizedParties.some((one) => one === party) ? undefined : partyNotAuthorized(claim, party);
  },
  needed: ({ authorizedParties }) => authorizedParties?.join(", "),
  found: (token) => token.claims[partyClaim(token)],
  passes: "The claim azp, or client_id of an access token without it, is an authorized party.",
};

const TIMES: Check = {
  name: "times",
  denialOf({ claims: { exp, nbf, iat }, nowS }) {
    if (!isFiniteNumber(exp) || exp >= EXP_END_S) {
      return malformed("The user token lacks the claim exp as a number below 2^53; have its issuer give it an expiry.");
    }
    if (nowS > exp + LEEWAY_S) return expired(exp);
    if (nbf !== undefined && !isFiniteNumber(nbf))
      return malformed("The user token's claim nbf is not a number; have its issuer give it one.");
    if (nbf !== undefined && nowS < nbf - LEEWAY_S) return inFuture("nbf", nbf);
    if (iat !== undefined && !isFiniteNumber(iat)) {
      return malformed("The user token's claim iat is not a number; have its issuer give it one.");
    }
    return iat !== undefined && nowS < iat - ISSUED_LEEWAY_S ? inFuture("iat", iat) : undefined;
  },
  needed: () => "exp in the future; nbf and iat, if there, in the past",
  found: ({ claims: { exp, nbf, iat }, nowS }) => ({ exp, nbf, iat, now: Math.floor(nowS) }),
  passes: "The token is valid now.",
};

/** Whether its sender could be checked. Whether they were is decided where it is known how the token came: `CheckSender`. */
const CONFIRMATION: Check = {
  name: "confirmation",
  denialOf({ claims }) {
    try {
      confirmedKey(claims);
      return undefined;
    } catch (err) {
      if (err instanceof Denial) return err;
      throw err;
    }
  },
  needed: (_, { claims }) => (claims.cnf === undefined ? undefined : "cnf with only jkt"),
  found: ({ claims }) => claims.cnf,
  passes: "The token is accepted as Authorization: DPoP, with a proof of the key of cnf.jkt.",
};

/** The checks of a verified token by itself, in their order. `USER_CHECKS` come after them. */
export const TOKEN_CHECKS: readonly Check[] = [TOKEN_TYPE, ISSUER, AUDIENCE, AUTHORIZED_PARTY, TIMES, CONFIRMATION];

/** An access token of RFC 9068 has the app in `client_id`, which it must have, and `azp` only where its issuer adds it. */
function partyClaim({ kind, claims: { azp } }: VerifiedToken): "azp" | "client_id" {
  return kind === "access" && azp === undefined ? "client_id" : "azp";
}

function accepts(accepted: readonly string[], value: unknown): boolean {
  if (typeof value !== "string") return false;
  return accepted.includes(value) || accepted.some((one) => isSameAudience(one, value));
}

/** JSON's 1e400 parses to Infinity, an expiry that never comes. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
