import { createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import type { Algorithm } from "./algorithms.ts";

/** One key as one algorithm uses it. */
export interface PublicKey {
  /**
   * Whether this is the algorithm's signature of the input with this key. Never throws or rejects: what we did not foresee
   * means "not verified" too, or anyone could raise our alerts with a crafted token.
   */
  verifies(input: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>;
}

const RSA_BITS_MIN = 2_048;
/** Larger moduli and exponents would be a tenant's way to spend our CPU. 8,192 bits are 1,366 characters. */
const RSA_MODULUS_CHARS_MAX = 1_366;
const RSA_EXPONENT_MAX = 2n ** 32n - 1n;
/** Larger moduli are checked on the thread pool. */
const RSA_BITS_QUICK_MAX = 4_096;

/**
 * The key of a JWK that has the algorithm's members as texts. Undefined if it is unusable: a point that is not on its
 * curve, or a key for which anyone could compute signatures. Members that are not part of the key are not looked at.
 *
 * The check is `crypto.verify` in this thread and not jose's: that takes webcrypto's way to the thread pool and back,
 * which costs about as much as the check itself. Only checks that take a multiple of the usual ones go there, so that no
 * key that a tenant publishes holds up the others.
 */
export function importPublicKey(jwk: Record<string, unknown>, algorithm: Algorithm): PublicKey | undefined {
  if (typeof jwk.n === "string" && jwk.n.length > RSA_MODULUS_CHARS_MAX) return undefined;
  const key = imported(Object.fromEntries(algorithm.members.map((member) => [member, jwk[member]])));
  if (key === undefined || !isStrong(key, algorithm)) return undefined;
  const signatureBytes = algorithm.signatureBytes ?? Math.ceil(modulusBits(key) / 8);
  const check = isQuick(key, algorithm) ? checkHere : checkInPool;
  // What `verify` has to be told stands on the key itself: handed `{ key, ... }`, it first throws and catches two errors
  // to find out that this is no key, which takes longer than half an RSA check.
  const told = Object.assign(key, algorithm.options);
  return {
    // OpenSSL takes a PSS signature without its leading zeros for the same one: a token would have several texts.
    verifies: (input, signature) =>
      signature.length === signatureBytes && check(algorithm.hash, input, told, signature),
  };
}

function checkHere(hash: string | null, input: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(hash, input, key, signature);
  } catch {
    return false;
  }
}

function checkInPool(hash: string | null, input: Uint8Array, key: KeyObject, signature: Uint8Array): Promise<boolean> {
  const checked = new Promise<boolean>((resolve) => {
    verify(hash, input, key, signature, (err, isVerified) => resolve(err === null && isVerified));
  });
  return checked.catch(() => false);
}

function imported(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
}

/**
 * By what the library understood: an RSA key has at least 2,048 bits and an odd exponent of 3 to 2^32-1. Points are
 * OpenSSL's to judge: it takes none that is off its curve, and verifies nothing by one of small order.
 */
function isStrong(key: KeyObject, { kty }: Algorithm): boolean {
  if (kty !== "RSA") return true;
  const exponent = key.asymmetricKeyDetails?.publicExponent ?? 0n;
  const isSound = exponent >= 3n && exponent <= RSA_EXPONENT_MAX && exponent % 2n === 1n;
  return modulusBits(key) >= RSA_BITS_MIN && isSound;
}

/** Whether a check takes a tenth of a millisecond at most. P-384 and P-521 take about a millisecond. */
function isQuick(key: KeyObject, { kty, crv }: Algorithm): boolean {
  return kty === "RSA" ? modulusBits(key) <= RSA_BITS_QUICK_MAX : crv === "P-256" || crv === "Ed25519";
}

function modulusBits(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0;
}
