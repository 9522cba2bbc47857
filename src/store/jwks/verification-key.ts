import { type CryptoKey, importJWK, type JWK } from "jose";

/** The asymmetric algorithms we accept, each with the kind of key it needs. `none`, HS* and everything else never. */
const ALGORITHMS: Readonly<Record<string, { kty: string; crv?: string }>> = {
  RS256: { kty: "RSA" },
  RS384: { kty: "RSA" },
  RS512: { kty: "RSA" },
  PS256: { kty: "RSA" },
  PS384: { kty: "RSA" },
  PS512: { kty: "RSA" },
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  Ed25519: { kty: "OKP", crv: "Ed25519" },
};

const RSA_BITS_MIN = 2_048;
/** Above this a verification takes longer than anybody's tokens are worth. */
const RSA_BITS_MAX = 16_384;
const RSA_EXPONENT_MIN = 3n;

export function isAcceptedAlgorithm(alg: unknown): alg is string {
  return typeof alg === "string" && Object.hasOwn(ALGORITHMS, alg);
}

/** One key of a set. Imported at most once for each algorithm it is used with. */
export interface VerificationKey {
  readonly kid: unknown;
  /** The key for an algorithm; undefined if it must not, or cannot, be used with it. */
  forAlgorithm(alg: string): Promise<CryptoKey | undefined>;
}

export function createVerificationKey(jwk: Readonly<Record<string, unknown>>): VerificationKey {
  const imported = new Map<string, Promise<CryptoKey | undefined>>();
  return {
    kid: jwk.kid,
    forAlgorithm(alg) {
      let key = imported.get(alg);
      if (key === undefined) {
        key = isSuitable(jwk, alg) ? importPublic(jwk, alg) : Promise.resolve(undefined);
        imported.set(alg, key);
      }
      return key;
    },
  };
}

function isSuitable(jwk: Readonly<Record<string, unknown>>, alg: string): boolean {
  const needed = ALGORITHMS[alg];
  if (needed === undefined || jwk.kty !== needed.kty) return false;
  if (needed.crv !== undefined && jwk.crv !== needed.crv) return false;
  if (jwk.alg !== undefined && !isSameAlgorithm(jwk.alg, alg)) return false;
  if (jwk.use !== undefined && jwk.use !== "sig") return false;
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes("verify"))) return false;
  return jwk.kty !== "RSA" || isSoundRsa(jwk.n, jwk.e);
}

/** RFC 9864 gave `EdDSA` with this curve the name `Ed25519`. */
function isSameAlgorithm(declared: unknown, alg: string): boolean {
  const sameCurve = ["EdDSA", "Ed25519"];
  return declared === alg || (typeof declared === "string" && sameCurve.includes(declared) && sameCurve.includes(alg));
}

/** A short modulus can be factored; with the exponent 1 a signature is the message itself. */
function isSoundRsa(n: unknown, e: unknown): boolean {
  const modulus = toBigInt(n);
  const exponent = toBigInt(e);
  if (modulus === undefined || exponent === undefined) return false;
  const bits = modulus.toString(2).length;
  return bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX && exponent >= RSA_EXPONENT_MIN && exponent % 2n === 1n;
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !/^[A-Za-z0-9_-]{1,4096}$/.test(value)) return undefined;
  return BigInt(`0x${Buffer.from(value, "base64url").toString("hex") || "0"}`);
}

/** jose throws errors of many kinds for a bad key, such as a point off its curve: to us such a key is just no key. */
async function importPublic(jwk: Readonly<Record<string, unknown>>, alg: string): Promise<CryptoKey | undefined> {
  const { kty, crv, x, y, n, e } = jwk;
  try {
    // Only public members, so that a published private key is not imported as one. jose checks their types.
    const key = await importJWK({ kty, crv, x, y, n, e } as JWK, alg);
    return key instanceof Uint8Array ? undefined : key;
  } catch {
    return undefined;
  }
}
