import { type Algorithm, acceptedAlgorithm, canonicalName } from "./algorithms.ts";
import { isObject } from "./compact-token.ts";
import { importPublicKey, type PublicKey } from "./public-key.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/** The keys of one fetched document. Each is imported when it is first needed, once per algorithm. */
export interface KeySet {
  /** Whether any key, usable or not, has this id. */
  hasKid(kid: string): boolean;
  /** Usable keys for a token, at most `KEYS_TRIED_MAX`: those with its `kid`, or all that fit if it has none. */
  keysFor(token: { alg: string; kid: string | undefined }): readonly PublicKey[];
  /** What these keys have verified. It ends with this set: a key that is withdrawn takes its tokens along. */
  readonly verified: VerifiedTokens;
}

/** Keys read of one set; the rest is as if it were not there. */
const KEYS_READ_MAX = 100;
/** Keys tried for one token. */
const KEYS_TRIED_MAX = 8;

/** A published key that says it fits an algorithm. */
interface Candidate {
  readonly kid: unknown;
  readonly jwk: Record<string, unknown>;
  /** Null: not yet imported. Undefined: unusable. */
  key: PublicKey | undefined | null;
}

/**
 * Reads a JWK set. A document that is none throws. A member that is no key or no usable one is skipped, so that one bad
 * key does not lock out the users of the others.
 *
 * This is not jose's `createLocalJWKSet`: that refuses a whole set with one bad member, and accepts RSA keys with the
 * exponent 1, for which anyone can compute signatures.
 */
export function parseKeySet(text: string, verified: VerifiedTokens): KeySet {
  const document: unknown = JSON.parse(text);
  if (!isObject(document) || !Array.isArray(document.keys)) throw new Error("the document is no JWK set");
  const jwks = document.keys.slice(0, KEYS_READ_MAX).filter(isObject);
  const kids = new Set(jwks.map(({ kid }) => kid));
  const candidatesOf = new Map<string, readonly Candidate[]>();

  function candidates(alg: string, algorithm: Algorithm): readonly Candidate[] {
    const known = candidatesOf.get(alg);
    if (known !== undefined) return known;
    const found = jwks
      .filter((jwk) => fits(jwk, alg, algorithm))
      .map((jwk): Candidate => ({ kid: jwk.kid, jwk, key: null }));
    candidatesOf.set(alg, found);
    return found;
  }

  return {
    verified,
    hasKid: (kid) => kids.has(kid),
    keysFor({ alg, kid }) {
      const algorithm = acceptedAlgorithm(alg);
      if (algorithm === undefined) return [];
      const keys: PublicKey[] = [];
      let tried = 0;
      for (const one of candidates(alg, algorithm)) {
        if (kid !== undefined && one.kid !== kid) continue;
        if (tried++ === KEYS_TRIED_MAX) break;
        if (one.key === null) one.key = importPublicKey(one.jwk, algorithm);
        if (one.key !== undefined) keys.push(one.key);
      }
      return keys;
    },
  };
}

/**
 * Whether the key's own description allows it to verify this algorithm. A key published with its private part is no
 * evidence of anything any more.
 */
function fits(jwk: Record<string, unknown>, alg: string, { kty, crv, members }: Algorithm): boolean {
  if (jwk.kty !== kty || jwk.d !== undefined) return false;
  if (crv !== undefined && jwk.crv !== crv) return false;
  if (!members.every((member) => typeof jwk[member] === "string")) return false;
  return (
    (jwk.alg === undefined || canonicalName(jwk.alg) === canonicalName(alg)) &&
    (jwk.use === undefined || jwk.use === "sig") &&
    (jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes("verify")))
  );
}
