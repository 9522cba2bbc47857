import type { CryptoKey } from "jose";
import { compactVerify } from "jose/jws/compact/verify";
import { importJWK } from "jose/key/import";
import type { Algorithm } from "./algorithms.ts";
import type { CompactToken } from "./compact-token.ts";

/** What the check of a signature reads of a token. */
export type CheckedToken = Pick<CompactToken, "text" | "signatureBytes">;

/** One key as one algorithm uses it. */
export interface PublicKey {
  /**
   * Whether the token has the algorithm's signature with this key. Never rejects: what we did not foresee means "not
   * verified" too, or anyone could raise our alerts with a crafted token.
   */
  verifies(token: CheckedToken): Promise<boolean>;
}

const RSA_BITS_MIN = 2_048;
/** Larger moduli and exponents would be a tenant's way to spend our CPU. 8,192 bits are 1,366 characters. */
const RSA_MODULUS_CHARS_MAX = 1_366;
const RSA_EXPONENT_MAX = 2n ** 32n - 1n;

/**
 * The key of a JWK that has the algorithm's members as texts. Undefined if it is unusable: a point that is not on its
 * curve, or a key for which anyone could compute signatures. Members that are not part of the key are not looked at.
 *
 * jose checks signatures, outside this thread. It accepts more than we do, so what it does not refuse is refused here: RSA
 * exponents below 3 and signatures with another length than the algorithm's.
 */
export async function importPublicKey(
  jwk: Record<string, unknown>,
  alg: string,
  algorithm: Algorithm,
): Promise<PublicKey | undefined> {
  if (typeof jwk.n === "string" && jwk.n.length > RSA_MODULUS_CHARS_MAX) return undefined;
  const key = await imported(Object.fromEntries(algorithm.members.map((member) => [member, jwk[member]])), alg);
  if (key === undefined || !isStrong(key, algorithm)) return undefined;
  const signatureBytes = algorithm.signatureBytes ?? Math.ceil(modulusBits(key) / 8);
  const options = { algorithms: [alg] };
  return {
    // OpenSSL takes a PSS signature without its leading zeros for the same one: a token would have several texts.
    verifies: async (token) =>
      token.signatureBytes === signatureBytes && (await isVerified(compactVerify(token.text, key, options))),
  };
}

function isVerified(verification: Promise<unknown>): Promise<boolean> {
  return verification.then(
    () => true,
    () => false,
  );
}

async function imported(jwk: Record<string, unknown>, alg: string): Promise<CryptoKey | undefined> {
  try {
    const key = await importJWK(jwk, alg);
    return key instanceof Uint8Array ? undefined : key;
  } catch {
    return undefined;
  }
}

/**
 * By what the library understood: an RSA key has at least 2,048 bits and an odd exponent of 3 to 2^32-1. Points are
 * OpenSSL's to judge: it takes none that is off its curve, and verifies nothing by one of small order.
 */
function isStrong(key: CryptoKey, { kty }: Algorithm): boolean {
  if (kty !== "RSA") return true;
  const exponent = publicExponent(key);
  const isSound = exponent >= 3n && exponent <= RSA_EXPONENT_MAX && exponent % 2n === 1n;
  return modulusBits(key) >= RSA_BITS_MIN && isSound;
}

/** Of RSA keys; of others 0. */
function modulusBits({ algorithm }: CryptoKey): number {
  return "modulusLength" in algorithm ? Number(algorithm.modulusLength) : 0;
}

function publicExponent({ algorithm }: CryptoKey): bigint {
  const bytes = "publicExponent" in algorithm ? algorithm.publicExponent : undefined;
  return bytes instanceof Uint8Array ? BigInt(`0x0${Buffer.from(bytes).toString("hex")}`) : 0n;
}
