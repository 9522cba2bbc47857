import { isJsonObject } from "../../domain/json-object.ts";
import { hasMoreParts } from "../../domain/json-parts.ts";
import { ALGORITHMS, type Algorithm, acceptedAlgorithm, canonicalName } from "./algorithms.ts";
import { isCostly } from "./costly-checks.ts";
import { importPublicKey, type PublicKey } from "./public-key.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/** The keys of one fetched document. Each is imported when it is first needed. */
export interface KeySet {
  /** Whether any key, usable or not, has this id. */
  hasKid(kid: string): boolean;
  /**
   * Keys to try for a token, at most `KEYS_TRIED_MAX`, of which `COSTLY_TRIED_MAX` are costly: those with its `kid`, or all
   * that fit if it has none.
   */
  keysFor(token: { alg: string; kid: string | undefined }): readonly CandidateKey[];
  /** What these keys have verified. It ends with this set: a key that is withdrawn takes its tokens along. */
  readonly verified: VerifiedTokens;
  /** What the set takes at most, estimated, without the tokens. */
  readonly bytes: number;
}

/** A key that is imported when it first verifies; one that turns out to be unusable verifies nothing. */
export interface CandidateKey extends PublicKey {
  readonly isCostly: boolean;
}

/** What was fetched is no JWK set, or too large a one. The message says which, for whoever configured its URL. */
export class NoKeySet extends Error {
  override readonly name = "NoKeySet";
}

const NO_SET = "the answer is no JWK set";
/**
 * Most parts of a document: what 512 KiB of the shortest real keys have. A document that is all parts, which is a tenant's
 * to write and anybody's to have fetched, would keep the process from everyone else for a tenth of a second.
 */
const PARTS_MAX = 60_000;
/** Keys tried for one token, and so the keys of one id that are kept. */
const KEYS_TRIED_MAX = 8;
/** Of which costly: the old and the new key of a rotation. */
const COSTLY_TRIED_MAX = 2;
/** Imported keys that are kept; of more, the one imported first is imported anew when it is next needed. */
const IMPORTS_MAX = 100;
/** Longest member of a key that is read: 8,192 bits of RSA. */
const MEMBER_CHARS_MAX = 1_366;
const MEMBERS = ["kty", "crv", "n", "e", "x", "y"];

/** What things take, measured and rounded up. A character may take two bytes. */
const SET_BYTES = 4_000;
const KID_BYTES = 200;
const KEY_BYTES = 500;
const IMPORT_BYTES = 5_000;
const CHAR_BYTES = 2;

/** What is kept of a published key: what is read, and nothing else that its document may hold. */
interface Published {
  /** By its canonical name. Undefined: any that fits the key. */
  readonly alg: string | undefined;
  readonly jwk: Readonly<Record<string, string>>;
  /** As the algorithm that came last uses it; undefined within: unusable. */
  imported: { readonly alg: string; readonly key: Promise<PublicKey | undefined> } | undefined;
}

/**
 * Reads a JWK set. Throws `NoKeySet`. A member that is no key, or no usable one, is skipped, so that one bad key does not
 * lock out the users of the others.
 *
 * This is not jose's `createLocalJWKSet`: that refuses a whole set with one bad member, and accepts RSA keys with the
 * exponent 1, for which anyone can compute signatures.
 */
export function parseKeySet(text: string, verified: VerifiedTokens): KeySet {
  /** Usable keys by their id; of an id that only unusable ones have, none. */
  const ofKid = new Map<string, Published[]>();
  /** The first keys that fit an algorithm: for tokens that name no key. */
  const ofAlgorithm = new Map<string, Published[]>();
  const withImport: Published[] = [];
  let bytes = SET_BYTES;
  let count = 0;

  for (const jwk of membersOf(text)) {
    const key = publishedKey(jwk);
    const algorithms = key === undefined ? [] : fitting(key);
    if (typeof jwk.kid === "string") {
      bytes += KID_BYTES + CHAR_BYTES * jwk.kid.length;
      addTo(ofKid, jwk.kid, algorithms.length === 0 ? undefined : key);
    }
    if (key === undefined || algorithms.length === 0) continue;
    count++;
    for (const alg of algorithms) addTo(ofAlgorithm, alg, key);
    bytes += KEY_BYTES;
    for (const value of Object.values(key.jwk)) bytes += CHAR_BYTES * value.length;
  }
  bytes += IMPORT_BYTES * Math.min(count, IMPORTS_MAX);

  function imported(key: Published, alg: string, algorithm: Algorithm): Promise<PublicKey | undefined> {
    if (key.imported?.alg === alg) return key.imported.key;
    if (key.imported === undefined && withImport.push(key) > IMPORTS_MAX) {
      const oldest = withImport.shift();
      if (oldest !== undefined) oldest.imported = undefined;
    }
    key.imported = { alg, key: importPublicKey(key.jwk, alg, algorithm) };
    return key.imported.key;
  }

  return {
    verified,
    bytes,
    hasKid: (kid) => ofKid.has(kid),
    keysFor({ alg, kid }) {
      const algorithm = acceptedAlgorithm(alg);
      if (algorithm === undefined) return [];
      const candidates = (kid === undefined ? ofAlgorithm.get(alg) : ofKid.get(kid)) ?? [];
      const keys: CandidateKey[] = [];
      let costly = 0;
      for (const candidate of candidates) {
        if (!fits(candidate, alg, algorithm)) continue;
        const costs = isCostly(candidate.jwk, algorithm);
        if (costs && ++costly > COSTLY_TRIED_MAX) continue;
        keys.push({
          isCostly: costs,
          verifies: async (token) => (await imported(candidate, alg, algorithm))?.verifies(token) ?? false,
        });
      }
      return keys;
    },
  };
}

function membersOf(text: string): Record<string, unknown>[] {
  if (hasMoreParts(Buffer.from(text), PARTS_MAX)) {
    throw new NoKeySet(`the answer has more than ${PARTS_MAX} of the characters { [ : , outside of strings`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new NoKeySet(NO_SET, { cause });
  }
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new NoKeySet(NO_SET);
  return document.keys.filter(isJsonObject);
}

/** Those that come late are one too many for any token, and not kept. */
function addTo(keys: Map<string, Published[]>, name: string, key: Published | undefined): void {
  const known = keys.get(name) ?? [];
  if (key !== undefined && known.length < KEYS_TRIED_MAX) known.push(key);
  keys.set(name, known);
}

/**
 * Undefined: its own description does not allow it to verify anything. A key published with its private part is no
 * evidence of anything any more.
 */
function publishedKey(member: Record<string, unknown>): Published | undefined {
  const { kty, d, use, alg, key_ops } = member;
  if (typeof kty !== "string" || d !== undefined || (use !== undefined && use !== "sig")) return undefined;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify"))) return undefined;
  if (alg !== undefined && typeof alg !== "string") return undefined;
  const jwk: Record<string, string> = {};
  for (const name of MEMBERS) {
    const value = member[name];
    if (typeof value === "string" && value.length <= MEMBER_CHARS_MAX) jwk[name] = value;
  }
  return { alg: alg === undefined ? undefined : canonicalName(alg), jwk, imported: undefined };
}

function fitting(key: Published): string[] {
  const names: string[] = [];
  for (const [alg, algorithm] of ALGORITHMS) if (fits(key, alg, algorithm)) names.push(alg);
  return names;
}

function fits({ alg: own, jwk }: Published, alg: string, { kty, crv, members }: Algorithm): boolean {
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return false;
  return (own === undefined || own === canonicalName(alg)) && members.every((member) => jwk[member] !== undefined);
}
