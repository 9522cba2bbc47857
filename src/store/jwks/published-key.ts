import { ALGORITHMS, type Algorithm, canonicalName } from "./algorithms.ts";

/** The parts of a published key that are used. The rest of its document is not kept. */
export interface PublishedKey {
  readonly kind: "published";
  /** The canonical name. Undefined: any algorithm that fits the key. */
  readonly alg: string | undefined;
  readonly jwk: Readonly<Record<string, string>>;
}

/** A key that verifies nothing. */
export interface UnusableKey {
  readonly kind: "unusable";
  /** Why, as a phrase that continues "the key": one of a few texts without quotations of the document. */
  readonly problem: string;
}

const MEMBERS = ["kty", "crv", "n", "e", "x", "y"];
/** Longest member of a key that is read: 8,192 bits of RSA. */
const MEMBER_CHARS_MAX = 1_366;
/** The second is that of a SPIFFE bundle's keys for JWT-SVIDs. */
const USES: readonly unknown[] = ["sig", "jwt-svid"];
const KEY_TYPES: readonly unknown[] = ["RSA", "EC", "OKP"];

/**
 * Reads a member of a JWK set. It is unusable if its own members do not allow it to verify signatures, or if it is
 * published with its private part: then anyone can sign.
 */
export function readPublishedKey(member: Record<string, unknown>): PublishedKey | UnusableKey {
  const problem = problemOf(member);
  if (problem !== undefined) return { kind: "unusable", problem };
  const jwk: Record<string, string> = {};
  for (const name of MEMBERS) {
    const value = member[name];
    if (typeof value === "string" && value.length <= MEMBER_CHARS_MAX) jwk[name] = value;
  }
  const key: PublishedKey = {
    kind: "published",
    alg: typeof member.alg === "string" ? canonicalName(member.alg) : undefined,
    jwk,
  };
  return algorithmsOf(key).length === 0 ? { kind: "unusable", problem: misfit(jwk) } : key;
}

/** The algorithms whose tokens the key may verify. */
export function algorithmsOf(key: PublishedKey): string[] {
  const names: string[] = [];
  for (const [alg, algorithm] of ALGORITHMS) if (fits(key, alg, algorithm)) names.push(alg);
  return names;
}

export function fits({ alg: own, jwk }: PublishedKey, alg: string, algorithm: Algorithm): boolean {
  return (own === undefined || own === canonicalName(alg)) && hasForm(jwk, algorithm);
}

function hasForm(jwk: PublishedKey["jwk"], { kty, crv, members }: Algorithm): boolean {
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return false;
  return members.every((member) => jwk[member] !== undefined);
}

function problemOf({ kty, d, use, alg, key_ops }: Record<string, unknown>): string | undefined {
  if (!KEY_TYPES.includes(kty)) return "has another kty than RSA, EC and OKP";
  if (d !== undefined) return "is published with its private part";
  if (use !== undefined && !USES.includes(use)) return "has another use than sig and jwt-svid";
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify")))
    return "has key_ops without verify";
  if (alg !== undefined && typeof alg !== "string") return "has an alg that is not a string";
  return undefined;
}

/** Why no algorithm fits a key. */
function misfit(jwk: PublishedKey["jwk"]): string {
  const algorithms = [...ALGORITHMS.values()];
  if (algorithms.some((algorithm) => hasForm(jwk, algorithm))) {
    return "has an alg that is not accepted or is not one of its kty and crv";
  }
  if (jwk.kty !== "RSA" && !algorithms.some(({ kty, crv }) => jwk.kty === kty && jwk.crv === crv)) {
    return "has another crv than those of its kty that are accepted: P-256, P-384 and P-521, and Ed25519";
  }
  return "lacks a member of its kty, or has one that is too long";
}
