/** The keys and signatures of a signature algorithm. jose implements the algorithm itself, by its name. */
export interface Algorithm {
  readonly kty: "RSA" | "EC" | "OKP";
  /** Undefined: the type has no curves. */
  readonly crv: string | undefined;
  /** The members of a JWK that make up the key. */
  readonly members: readonly string[];
  /** Bytes of a signature. Undefined: as many as the key's modulus has. */
  readonly signatureBytes: number | undefined;
}

const RSA: Algorithm = { kty: "RSA", crv: undefined, members: ["kty", "n", "e"], signatureBytes: undefined };
const ED25519: Algorithm = { kty: "OKP", crv: "Ed25519", members: ["kty", "crv", "x"], signatureBytes: 64 };

/** The algorithms that are accepted: asymmetric ones only (docs/promises.md). */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ["RS256", RSA],
  ["RS384", RSA],
  ["RS512", RSA],
  ["PS256", RSA],
  ["PS384", RSA],
  ["PS512", RSA],
  ["ES256", ecdsa("P-256", 64)],
  ["ES384", ecdsa("P-384", 96)],
  ["ES512", ecdsa("P-521", 132)],
  ["EdDSA", ED25519],
  ["Ed25519", ED25519],
]);

/** Undefined: it is not accepted. */
export function acceptedAlgorithm(alg: string): Algorithm | undefined {
  return ALGORITHMS.get(alg);
}

/** RFC 9864 renamed EdDSA with this curve. Some providers publish one name and sign with the other. */
export function canonicalName(alg: string): string {
  return alg === "EdDSA" ? "Ed25519" : alg;
}

/** A signature is r and s, each as long as the curve's order (RFC 7518, 3.4), and not DER. */
function ecdsa(crv: string, signatureBytes: number): Algorithm {
  return { kty: "EC", crv, members: ["kty", "crv", "x", "y"], signatureBytes };
}
