import type { CryptoKey } from "jose";
import { compactVerify } from "jose/jws/compact/verify";
import { importJWK } from "jose/key/import";
import type { Algorithm } from "./algorithms.ts";
import type { CompactToken } from "./compact-token.ts";
import type { UnusableKey } from "./published-key.ts";

/** The parts of a token that a signature check reads. */
export type CheckedToken = Pick<CompactToken, "text" | "signatureBytes">;

/** A key, imported for one algorithm. */
export interface PublicKey {
  readonly kind: "usable";
  /**
   * Whether the key verifies the token's signature. Never rejects: unforeseen errors mean "not verified", too. Otherwise
   * anyone could raise our alerts with a crafted token.
   */
  verifies(token: CheckedToken): Promise<boolean>;
}

const RSA_BITS_MIN = 2_048;
/** With larger moduli and exponents a tenant could use up our CPU. */
const RSA_BITS_MAX = 8_192;
const RSA_EXPONENT_MAX = 2n ** 32n - 1n;

/**
 * Imports the key of a JWK that has the algorithm's members as strings. The key is unusable if its point is not on its
 * curve, or if anyone could compute signatures for it. Other members of the JWK are ignored.
 *
 * jose checks signatures, outside this thread. It accepts more than we do, so we also reject RSA exponents below 3 and
 * signatures with another length than the algorithm's.
 */
export async function importPublicKey(
  jwk: Record<string, unknown>,
  alg: string,
  algorithm: Algorithm,
): Promise<PublicKey | UnusableKey> {
  const key = await imported(Object.fromEntries(algorithm.members.map((member) => [member, jwk[member]])), alg);
  if (key === undefined) return unusable("is not a key of its kty, or its point is not on its curve");
  const weakness = algorithm.kty === "RSA" ? rsaWeakness(key) : undefined;
  if (weakness !== undefined) return unusable(weakness);
  const signatureBytes = algorithm.signatureBytes ?? Math.ceil(modulusBits(key) / 8);
  const options = { algorithms: [alg] };
  return {
    kind: "usable",
    // OpenSSL also accepts a PSS signature without its leading zeros: a token would have several texts.
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

/** Checks the key as the library parsed it. OpenSSL checks points: it verifies nothing with one of small order. */
function rsaWeakness(key: CryptoKey): string | undefined {
  const bits = modulusBits(key);
  if (bits < RSA_BITS_MIN) return "is an RSA key of fewer than 2,048 bits";
  if (bits > RSA_BITS_MAX) return "is an RSA key of more than 8,192 bits";
  const exponent = publicExponent(key);
  const isSound = exponent >= 3n && exponent <= RSA_EXPONENT_MAX && exponent % 2n === 1n;
  return isSound ? undefined : "is an RSA key whose public exponent is even, below 3 or above 2^32";
}

function unusable(problem: string): UnusableKey {
  return { kind: "unusable", problem };
}

/** 0 for keys that are not RSA. */
function modulusBits({ algorithm }: CryptoKey): number {
  return "modulusLength" in algorithm ? Number(algorithm.modulusLength) : 0;
}

function publicExponent({ algorithm }: CryptoKey): bigint {
  const bytes = "publicExponent" in algorithm ? algorithm.publicExponent : undefined;
  return bytes instanceof Uint8Array ? BigInt(`0x0${Buffer.from(bytes).toString("hex")}`) : 0n;
}
