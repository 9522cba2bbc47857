import { compactVerify } from "jose";
import { Denial } from "../../domain/denial.ts";
import type { Claims, TokenExpectation } from "../../domain/identity/claims.ts";
import type { Clock, TokenVerifier } from "../../domain/ports.ts";
import { createKeySets, type KeySets, KeySetUnavailable } from "./key-sets.ts";
import { createSafeFetch, type SafeFetchOptions } from "./safe-fetch.ts";
import { parseToken } from "./token-form.ts";
import { isAcceptedAlgorithm, type VerificationKey } from "./verification-key.ts";

/** How far our clock and an issuer's may be apart, for `exp` and `nbf`. */
const LEEWAY_S = 5;
/** Most keys that are tried for a token which names none. */
const TRIES_MAX = 8;

export interface TokenVerifierOptions extends SafeFetchOptions {
  readonly clock: Clock;
}

/**
 * Judges tokens by ruling 27, in this order: form, algorithm, key, signature, `iss`, `aud`, `exp`, `nbf`.
 *
 * jose does the cryptography. Its claim checks are not used: they accept a missing or infinite `exp` and `[1,"a"]` as an
 * audience.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier & { close(): Promise<void> } {
  const { clock } = options;
  const fetch = createSafeFetch(options);
  const keySets = createKeySets({ fetch, clock });
  return {
    async verify(token, expected) {
      const { alg, kid, claims } = parseToken(token);
      if (!isAcceptedAlgorithm(alg)) throw new Denial("jwt_invalid_signature");
      const keys = await keysFor(keySets, expected, kid);
      if (!(await isSignedByOne(token, alg, keys))) throw new Denial("jwt_invalid_signature");
      judgeClaims(claims, expected, clock().getTime() / 1_000);
      return claims;
    },
    close: () => fetch.close(),
  };
}

/** A provider that cannot be reached says nothing about its users: our 500, not their 401. */
async function keysFor(
  keySets: KeySets,
  expected: TokenExpectation,
  kid: unknown,
): Promise<readonly VerificationKey[]> {
  try {
    return await keySets.keysFor(expected, kid);
  } catch (err) {
    if (err instanceof KeySetUnavailable) {
      throw new Denial("verifier_error", {
        message: "The keys of the user token's issuer could not be fetched just now; retry.",
        cause: err,
      });
    }
    throw err;
  }
}

async function isSignedByOne(token: string, alg: string, keys: readonly VerificationKey[]): Promise<boolean> {
  let tries = 0;
  for (const candidate of keys) {
    const key = await candidate.forAlgorithm(alg);
    if (key === undefined) continue;
    if (await isSignedBy(token, alg, key)) return true;
    tries += 1;
    if (tries === TRIES_MAX) return false;
  }
  return false;
}

async function isSignedBy(token: string, alg: string, key: Parameters<typeof compactVerify>[1]): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [alg] });
    return true;
  } catch {
    // The form was judged before and the key imported: whatever jose throws now, this key has not signed this token.
    return false;
  }
}

function judgeClaims(claims: Claims, expected: TokenExpectation, nowS: number): void {
  const { iss, aud, exp, nbf } = ownClaims(claims);
  if (iss !== expected.issuer) throw new Denial("jwt_invalid_issuer");
  if (!isAudience(aud, expected.audience)) throw new Denial("jwt_invalid_audience");
  if (!isFiniteNumber(exp)) throw malformed("exp", "must be a finite number of seconds");
  if (nowS >= exp + LEEWAY_S) throw new Denial("jwt_expired");
  if (nbf === undefined) return;
  if (!isFiniteNumber(nbf)) throw malformed("nbf", "must be a finite number of seconds");
  if (nbf > nowS + LEEWAY_S) throw malformed("nbf", "lies in the future");
}

/** Claims that the token itself has, and not, by some trick of names, the prototype of every object. */
function ownClaims(claims: Claims): Claims {
  return Object.assign(Object.create(null), claims);
}

/** One string, or a list of nothing but strings that holds it. */
function isAudience(aud: unknown, expected: string): boolean {
  if (!Array.isArray(aud)) return aud === expected;
  return aud.every((item) => typeof item === "string") && aud.includes(expected);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function malformed(claim: string, problem: string): Denial {
  return new Denial("jwt_malformed", { message: `The user token's claim ${claim} ${problem}.` });
}
