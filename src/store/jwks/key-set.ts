import { type CryptoKey, importJWK, type JWK } from "jose";
import { isObject } from "./compact-token.ts";

/** The keys of one fetched document. Each is imported when it is first needed, once per algorithm. */
export interface KeySet {
  /** Whether any key, usable or not, has this id. */
  hasKid(kid: string): boolean;
  /** Usable keys for a token, at most `KEYS_TRIED_MAX`: those with its `kid`, or all that fit if it has none. */
  keysFor(token: { alg: string; kid: string | undefined }): Promise<readonly CryptoKey[]>;
}

/** Keys read of one set; the rest is as if it were not there. */
const KEYS_READ_MAX = 100;
/** Keys tried for one token. */
const KEYS_TRIED_MAX = 8;
const RSA_BITS_MIN = 2_048;
/** Larger moduli and exponents would be a tenant's way to spend our CPU. 8,192 bits are 1,366 characters. */
const RSA_MODULUS_CHARS_MAX = 1_366;
const RSA_EXPONENT_BYTES_MAX = 4;

interface KeyForm {
  readonly kty: string;
  readonly crv?: string;
  /** The members that make up the key. */
  readonly members: readonly string[];
}

const RSA: KeyForm = { kty: "RSA", members: ["kty", "n", "e"] };
const ED25519: KeyForm = { kty: "OKP", crv: "Ed25519", members: ["kty", "crv", "x"] };
const ec = (crv: string): KeyForm => ({ kty: "EC", crv, members: ["kty", "crv", "x", "y"] });

/** The algorithms that are accepted (ruling 27), each with the form of key that it takes. */
const ALGORITHMS: ReadonlyMap<string, KeyForm> = new Map([
  ["RS256", RSA],
  ["RS384", RSA],
  ["RS512", RSA],
  ["PS256", RSA],
  ["PS384", RSA],
  ["PS512", RSA],
  ["ES256", ec("P-256")],
  ["ES384", ec("P-384")],
  ["ES512", ec("P-521")],
  ["EdDSA", ED25519],
  ["Ed25519", ED25519],
]);

export const ACCEPTED_ALGORITHMS: readonly string[] = [...ALGORITHMS.keys()];

/**
 * Reads a JWK set. A document that is none throws. A member that is no key or no usable one is skipped, so that one bad
 * key does not lock out the users of the others.
 *
 * This is not jose's `createLocalJWKSet`: that refuses a whole set with one bad member, and accepts RSA keys with the
 * exponent 1, for which anyone can compute signatures.
 */
export function parseKeySet(text: string): KeySet {
  const document: unknown = JSON.parse(text);
  if (!isObject(document) || !Array.isArray(document.keys)) throw new Error("the document is no JWK set");
  const jwks = document.keys.slice(0, KEYS_READ_MAX).filter(isObject);
  const imports = new Map<string, Promise<CryptoKey | undefined>>();

  function imported(index: number, alg: string): Promise<CryptoKey | undefined> {
    const id = `${index} ${alg}`;
    const known = imports.get(id) ?? importKey(jwks[index] ?? {}, alg);
    imports.set(id, known);
    return known;
  }

  return {
    hasKid: (kid) => jwks.some((jwk) => jwk.kid === kid),
    async keysFor({ alg, kid }) {
      const fitting = [...jwks.keys()].filter((index) => {
        const jwk = jwks[index] ?? {};
        return (kid === undefined || jwk.kid === kid) && fits(jwk, alg);
      });
      const keys = await Promise.all(fitting.slice(0, KEYS_TRIED_MAX).map((index) => imported(index, alg)));
      return keys.filter((key) => key !== undefined);
    },
  };
}

/**
 * Whether the key's own description allows it to verify this algorithm. A key published with its private part is no
 * evidence of anything any more.
 */
function fits(jwk: Record<string, unknown>, alg: string): boolean {
  const form = ALGORITHMS.get(alg);
  if (form === undefined || jwk.kty !== form.kty || jwk.d !== undefined) return false;
  if (form.crv !== undefined && jwk.crv !== form.crv) return false;
  if (!form.members.every((member) => typeof jwk[member] === "string")) return false;
  if (typeof jwk.n === "string" && jwk.n.length > RSA_MODULUS_CHARS_MAX) return false;
  return (
    (jwk.alg === undefined || canonicalName(jwk.alg) === canonicalName(alg)) &&
    (jwk.use === undefined || jwk.use === "sig") &&
    (jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes("verify")))
  );
}

/** RFC 9864 renamed EdDSA with this curve; providers publish the one name and sign with the other. */
function canonicalName(alg: unknown): unknown {
  return alg === "EdDSA" ? "Ed25519" : alg;
}

/** The key, or undefined if it is unusable: a point that is not on its curve, a weak modulus or exponent. */
async function importKey(jwk: Record<string, unknown>, alg: string): Promise<CryptoKey | undefined> {
  const members = ALGORITHMS.get(alg)?.members ?? [];
  try {
    // Only what makes up the key: `ext`, `key_ops` and the like are judged in `fits` and nowhere else.
    const key = await importJWK(Object.fromEntries(members.map((member) => [member, jwk[member]])) as JWK, alg);
    return !(key instanceof Uint8Array) && isStrong(key.algorithm) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** RSA by modulus and exponent as the library understood them: odd, 3 to 2^32-1. The curves are strong by themselves. */
function isStrong(algorithm: object): boolean {
  if (!("publicExponent" in algorithm)) return true;
  const exponent = algorithm.publicExponent;
  if (!("modulusLength" in algorithm) || !(exponent instanceof Uint8Array)) return false;
  if (typeof algorithm.modulusLength !== "number" || algorithm.modulusLength < RSA_BITS_MIN) return false;
  const bytes = exponent.slice(exponent.findIndex((byte) => byte !== 0));
  const last = bytes.at(-1) ?? 0;
  return bytes.length <= RSA_EXPONENT_BYTES_MAX && last % 2 === 1 && (bytes.length > 1 || last >= 3);
}
