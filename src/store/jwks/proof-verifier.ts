import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { PROOF_ALGORITHMS, type ProofVerifier, refusedProof, wrongSender } from "../../domain/access-tokens/proof.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { type Algorithm, acceptedAlgorithm } from "./algorithms.ts";
import { parseJsonObject } from "./compact-token.ts";
import { type CheckedToken, importPublicKey } from "./public-key.ts";

/** RFC 9449, 4.2. */
const TYP = "dpop+jwt";
/** Longest proof, in characters. One of an RSA key of 8,192 bits has some 3,300. */
const PROOF_CHARS_MAX = 8_192;
const THREE_PARTS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** The names of key types and of curves are of its characters, too. */
const BASE64URL = /^[\w-]+$/;
/** The members of private and of symmetric keys (RFC 7518, 6). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Verifies proofs with the public keys in their own headers. */
export const proofVerifier: ProofVerifier = {
  async verify(text, jkt) {
    const proof = parse(text);
    const { typ, alg, jwk } = proof.header;
    if (typ !== TYP) throw refusedProof(`its header must have the typ ${TYP}`);
    const algorithm = typeof alg === "string" && PROOF_ALGORITHMS.includes(alg) ? acceptedAlgorithm(alg) : undefined;
    if (typeof alg !== "string" || algorithm === undefined)
      throw refusedProof(`its alg must be one of ${PROOF_ALGORITHMS.join(", ")}`);
    const key = publicMembers(jwk, algorithm);
    const thumbprint = await calculateJwkThumbprint(key);
    // Before the signature: only the holder of the token's key has this service verify one.
    if (jkt !== undefined && thumbprint !== jkt) throw wrongSender("other_key");
    const imported = await importPublicKey(key, alg, algorithm);
    if (imported.kind === "unusable") throw refusedProof(`the jwk in its header ${imported.problem}`);
    if (!(await imported.verifies(proof))) throw refusedProof("the jwk in its header does not verify its signature");
    const claims = parseJsonObject(textOf(proof.payload64));
    if (claims === undefined) throw refusedProof("its payload must be a JSON object");
    return { jkt: thumbprint, claims };
  },
};

interface Proof extends CheckedToken {
  readonly header: Readonly<Record<string, unknown>>;
  /** Not decoded or checked. */
  readonly payload64: string;
}

/** A JWT as `compact-token.ts` takes a user's, with another header: it holds its own key. */
function parse(text: string): Proof {
  if (text.length > PROOF_CHARS_MAX) throw refusedProof(`it is longer than ${PROOF_CHARS_MAX} characters`);
  const [, header64 = "", payload64 = "", signature64 = ""] = THREE_PARTS.exec(text) ?? [];
  const header = parseJsonObject(textOf(header64));
  if (header === undefined || payload64 === "") throw refusedProof("it must be one JWT, in base64url without padding");
  if (["crit", "zip", "b64"].some((member) => Object.hasOwn(header, member))) {
    throw refusedProof("its header demands an extension that is not supported (crit, b64 or zip)");
  }
  return { text, header, payload64, signatureBytes: Buffer.from(signature64, "base64url").length };
}

function textOf(part64: string): string {
  return Buffer.from(part64, "base64url").toString();
}

/** The members that make up the key, which alone count for its thumbprint. */
function publicMembers(jwk: unknown, { kty, crv, members }: Algorithm): Record<string, string> {
  if (!isJsonObject(jwk)) throw refusedProof("its header must have the public key as jwk");
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) {
    throw refusedProof("the jwk in its header holds a private key, which must be replaced; send only the public key");
  }
  const key: Record<string, string> = {};
  for (const member of members) {
    const value = jwk[member];
    // Of other characters no thumbprint is defined.
    if (typeof value !== "string" || !BASE64URL.test(value))
      throw refusedProof(`the jwk in its header must have ${member} as a text in base64url`);
    key[member] = value;
  }
  if (key.kty !== kty || key.crv !== crv) throw refusedProof("the jwk in its header must be a key of its alg");
  return key;
}
