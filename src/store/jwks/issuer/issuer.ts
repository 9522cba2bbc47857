import type { JWK } from "jose";
import { SignJWT } from "jose/jwt/sign";
import { LRUCache } from "lru-cache";
import type { AccessTokenIssuer } from "../../../domain/access-tokens/issuer.ts";
import { tokenExpired } from "../../../domain/access-tokens/token-refusal.ts";
import type { NewAccessToken } from "../../../domain/credentials/access-token.ts";
import { unverifiedClaims } from "../../../domain/tokens/unverified-claims.ts";
import type { KeyClock } from "../../../domain/vocabulary/clock.ts";
import { Denial } from "../../../domain/vocabulary/denial.ts";
import { type CompactToken, parseCompactToken, parseJsonObject, payloadText } from "../compact-token.ts";
import { digestOf } from "../verified-tokens.ts";
import { ALG, createSigningKeys, type SigningKeysContext } from "./signing-keys.ts";

/** RFC 9068, 2.1. */
const TYP = "at+jwt";
/** Longest token of any issuer, in characters. */
const TOKEN_CHARS_MAX = 16_384;
/** Some 7 MB. Beyond it, those that were verified first are verified again: to keep an order of use costs more than it saves. */
const REMEMBERED_MAX = 32_768;

export interface IssuerContext extends SigningKeysContext {
  /** `TOKEN_ISSUER`. */
  readonly issuer: string;
  readonly clock: KeyClock;
}

/** The issuer of this service with the keys that it publishes. */
export interface StoredKeysIssuer extends AccessTokenIssuer {
  readonly publicJwks: readonly JWK[];
  /** Reads the signing keys again, and takes the steps of their rotation that are due. Throws `StoreUnavailable`. */
  refresh(): Promise<void>;
}

interface RememberedToken {
  readonly tokenId: string;
  readonly kid: string;
  readonly expS: number;
}

/** Call `refresh` before its first use, and then once a minute. */
export function createIssuer(ctx: IssuerContext): StoredKeysIssuer {
  const { issuer, clock } = ctx;
  const keys = createSigningKeys(ctx);
  /** By their `digestOf`: a memory dump contains no token. */
  const remembered = new LRUCache<string, RememberedToken>({ max: REMEMBERED_MAX });

  function requireLive({ expS, tokenId }: RememberedToken): string {
    if (clock().getTime() >= expS * 1_000) throw tokenExpired();
    return tokenId;
  }

  async function verifyFully(text: string, digest: string): Promise<string> {
    const token = parse(text);
    const { kid } = token;
    if (kid === undefined) throw notVerified();
    if (keys.verifierOf(kid) === undefined) await keys.refreshForUnknown();
    const isVerified = (await keys.verifierOf(kid)?.verifies(token)) ?? false;
    if (!isVerified) throw notVerified();
    const { iss, jti, iat, exp } = parseJsonObject(payloadText(token)) ?? {};
    if (iss !== issuer || typeof jti !== "string" || !isSeconds(iat) || !isSeconds(exp)) throw malformed();
    const verified = { tokenId: jti, kid, expS: exp };
    const tokenId = requireLive(verified);
    // After the check of its end: refused tokens must not evict accepted ones.
    remembered.set(digest, verified);
    return tokenId;
  }

  return {
    issuer,
    get publicJwks() {
      return keys.publicJwks;
    },
    refresh: keys.refresh,

    async sign(token, issuedAt) {
      const { kid, privateKey } = await keys.signer();
      return new SignJWT({ iss: issuer, ...claimsOf(token, issuedAt) })
        .setProtectedHeader({ alg: ALG, typ: TYP, kid })
        .sign(privateKey);
    },

    verify(text) {
      if (text.length > TOKEN_CHARS_MAX) return undefined;
      const digest = digestOf(text);
      const known = remembered.peek(digest);
      // A key that was removed verifies nothing any more.
      if (known !== undefined && keys.verifierOf(known.kid) !== undefined) return requireLive(known);
      return unverifiedClaims(text).iss === issuer ? verifyFully(text, digest) : undefined;
    },
  };
}

function claimsOf(token: NewAccessToken, issuedAt: Date) {
  const { tokenId, tenantId, keyId, scopes, userId, audience, confirmationJkt, expiresAt } = token;
  return {
    aud: audience,
    sub: keyId,
    // RFC 9068 requires it: the key is the client.
    client_id: keyId,
    tenant_id: tenantId,
    scope: scopes.join(" "),
    jti: tokenId,
    iat: toSeconds(issuedAt),
    exp: toSeconds(expiresAt),
    ...(userId !== null && { user_id: userId, act: { sub: keyId } }),
    ...(confirmationJkt !== null && { cnf: { jkt: confirmationJkt } }),
  };
}

/** The token's form, algorithm and type, before any key is looked for. */
function parse(text: string): CompactToken {
  const token = parseWithoutDenial(text);
  if (token === undefined || token.alg !== ALG || token.kind !== "access") throw malformed();
  return token;
}

/** Undefined: its form is wrong. The denials of the parser speak of users' tokens. */
function parseWithoutDenial(text: string): CompactToken | undefined {
  try {
    return parseCompactToken(text);
  } catch (err) {
    if (err instanceof Denial) return undefined;
    throw err;
  }
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}

function malformed(): Denial {
  return new Denial("jwt_malformed", {
    message: `The token names this service as its issuer, but is not in the form of its tokens (typ ${TYP}, alg ${ALG}); send the token whole, as this service issued it.`,
  });
}

function notVerified(): Denial {
  return new Denial("jwt_invalid_signature", {
    message:
      "The token names this service as its issuer, but none of its keys verifies the signature; send the token unchanged, or get a new one.",
  });
}
