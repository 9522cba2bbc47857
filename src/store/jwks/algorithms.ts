import { constants, type SigningOptions } from "node:crypto";

/** A signature algorithm: the form of key that it takes, and what `crypto.verify` has to be told. */
export interface Algorithm {
  readonly kty: "RSA" | "EC" | "OKP";
  /** Undefined where the type has no curves. */
  readonly crv: string | undefined;
  /** The members of a JWK that make up the key. */
  readonly members: readonly string[];
  /** Null: the algorithm has its own. */
  readonly hash: string | null;
  /** Bytes of a signature. Undefined: as many as the key's modulus has. */
  readonly signatureBytes: number | undefined;
  readonly options: Readonly<SigningOptions>;
}

/** The algorithms that are accepted: asymmetric ones only (docs/promises.md). */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ["RS256", rsa("sha256", { padding: constants.RSA_PKCS1_PADDING })],
  ["RS384", rsa("sha384", { padding: constants.RSA_PKCS1_PADDING })],
  ["RS512", rsa("sha512", { padding: constants.RSA_PKCS1_PADDING })],
  ["PS256", pss("sha256", 32)],
  ["PS384", pss("sha384", 48)],
  ["PS512", pss("sha512", 64)],
  ["ES256", ecdsa("P-256", "sha256", 64)],
  ["ES384", ecdsa("P-384", "sha384", 96)],
  ["ES512", ecdsa("P-521", "sha512", 132)],
  ["EdDSA", ed25519()],
  ["Ed25519", ed25519()],
]);

/** Undefined: it is not accepted. */
export function acceptedAlgorithm(alg: string): Algorithm | undefined {
  return ALGORITHMS.get(alg);
}

/** RFC 9864 renamed EdDSA with this curve; providers publish the one name and sign with the other. */
export function canonicalName(alg: string): string {
  return alg === "EdDSA" ? "Ed25519" : alg;
}

function rsa(hash: string, options: SigningOptions): Algorithm {
  return { kty: "RSA", crv: undefined, members: ["kty", "n", "e"], hash, signatureBytes: undefined, options };
}

/** The salt is as long as the hash (RFC 7518, 3.5). By default OpenSSL would take a salt of any length. */
function pss(hash: string, saltLength: number): Algorithm {
  return rsa(hash, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

/** The signature is r and s, each as long as the curve's order (RFC 7518, 3.4), and not DER. */
function ecdsa(crv: string, hash: string, signatureBytes: number): Algorithm {
  const members = ["kty", "crv", "x", "y"];
  return { kty: "EC", crv, members, hash, signatureBytes, options: { dsaEncoding: "ieee-p1363" } };
}

function ed25519(): Algorithm {
  return { kty: "OKP", crv: "Ed25519", members: ["kty", "crv", "x"], hash: null, signatureBytes: 64, options: {} };
}
