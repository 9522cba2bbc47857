import type { KeyReport, KeysInUse } from "../../domain/identity/key-set-report.ts";
import { isJsonObject } from "../../domain/json-object.ts";
import { hasMoreParts } from "../../domain/json-parts.ts";
import { type Algorithm, acceptedAlgorithm } from "./algorithms.ts";
import { isCostly } from "./costly-checks.ts";
import { importPublicKey, type PublicKey } from "./public-key.ts";
import { algorithmsOf, fits, type PublishedKey, readPublishedKey, type UnusableKey } from "./published-key.ts";
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
  /** What there is in it, and why some of it verifies nothing. Imports the keys of which it says so. */
  report(): Promise<Omit<KeysInUse, "fetchedAt">>;
  /** What these keys have verified. It ends with this set: a key that is withdrawn takes its tokens along. */
  readonly verified: VerifiedTokens;
  /** What the set takes at most, estimated, without the tokens. */
  readonly bytes: number;
}

/** A key that is imported when it first verifies; one that turns out to be unusable verifies nothing. */
export interface CandidateKey extends Pick<PublicKey, "verifies"> {
  readonly isCostly: boolean;
}

/** What was fetched is no JWK set, or too large a one. The message says which, for whoever configured its URL. */
export class InvalidKeySet extends Error {
  override readonly name = "InvalidKeySet";
}

const NO_SET = "the answer is no JWK set";
const NEVER_TRIED = "comes after the keys that are tried for a token with its kid and alg";
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
/** Members of a set that are reported, and characters of the id of one. */
const REPORTED_MAX = 32;
const REPORTED_KID_CHARS_MAX = 256;

/** What things take, measured and rounded up. A character may take two bytes. */
const SET_BYTES = 4_000;
const KID_BYTES = 200;
const KEY_BYTES = 500;
const IMPORT_BYTES = 7_000;
const NOTED_BYTES = 150;
const CHAR_BYTES = 2;

/** A published key with what was made of it. */
interface Published extends PublishedKey {
  /** As the algorithm that came last uses it. */
  imported: { readonly alg: string; readonly key: Promise<PublicKey | UnusableKey> } | undefined;
}

/** A member of the set that is reported. */
interface Noted {
  readonly kid: string | undefined;
  readonly key: Published | UnusableKey;
}

/**
 * Reads a JWK set. Throws `InvalidKeySet`. A member that is no key, or no usable one, is skipped, so that one bad key does not
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
  const noted: Noted[] = [];
  let bytes = SET_BYTES;
  let usableCount = 0;
  // Not the members themselves: what a function below refers to lives as long as the set.
  let keyCount = 0;

  for (const member of membersOf(text)) {
    keyCount++;
    const key = published(member);
    const kid = typeof member.kid === "string" ? member.kid : undefined;
    if (noted.length < REPORTED_MAX) {
      noted.push({ kid, key });
      bytes += NOTED_BYTES;
    }
    if (kid !== undefined) {
      bytes += KID_BYTES + CHAR_BYTES * kid.length;
      addTo(ofKid, kid, key.kind === "unusable" ? undefined : key);
    }
    if (key.kind === "unusable") continue;
    usableCount++;
    for (const alg of algorithmsOf(key)) addTo(ofAlgorithm, alg, key);
    bytes += KEY_BYTES;
    for (const value of Object.values(key.jwk)) bytes += CHAR_BYTES * value.length;
  }
  bytes += IMPORT_BYTES * Math.min(usableCount, IMPORTS_MAX);

  function imported(key: Published, alg: string, algorithm: Algorithm): Promise<PublicKey | UnusableKey> {
    if (key.imported?.alg === alg) return key.imported.key;
    if (key.imported === undefined && withImport.push(key) > IMPORTS_MAX) {
      const oldest = withImport.shift();
      if (oldest !== undefined) oldest.imported = undefined;
    }
    key.imported = { alg, key: importPublicKey(key.jwk, alg, algorithm) };
    return key.imported.key;
  }

  function candidates(alg: string, algorithm: Algorithm, kid: string | undefined): Published[] {
    let costly = 0;
    return ((kid === undefined ? ofAlgorithm.get(alg) : ofKid.get(kid)) ?? []).filter(
      (key) => fits(key, alg, algorithm) && !(isCostly(key.jwk, algorithm) && ++costly > COSTLY_TRIED_MAX),
    );
  }

  async function problemOf(key: Published, [alg = ""]: readonly string[], kid: string | undefined) {
    const algorithm = acceptedAlgorithm(alg);
    if (algorithm === undefined || !candidates(alg, algorithm, kid).includes(key)) return NEVER_TRIED;
    const result = await (key.imported?.key ?? imported(key, alg, algorithm));
    return result.kind === "unusable" ? result.problem : undefined;
  }

  async function reportOf({ kid, key }: Noted): Promise<KeyReport> {
    const shown = kid?.slice(0, REPORTED_KID_CHARS_MAX);
    if (key.kind === "unusable") return { kid: shown, algs: [], problem: key.problem };
    const algs = algorithmsOf(key);
    const problem = await problemOf(key, algs, kid);
    return { kid: shown, algs: problem === undefined ? algs : [], problem };
  }

  return {
    verified,
    bytes,
    hasKid: (kid) => ofKid.has(kid),
    report: async () => ({ keyCount, keys: await Promise.all(noted.map(reportOf)) }),
    keysFor({ alg, kid }) {
      const algorithm = acceptedAlgorithm(alg);
      if (algorithm === undefined) return [];
      return candidates(alg, algorithm, kid).map((candidate) => ({
        isCostly: isCostly(candidate.jwk, algorithm),
        async verifies(token) {
          const key = await imported(candidate, alg, algorithm);
          return key.kind === "usable" && key.verifies(token);
        },
      }));
    },
  };
}

function published(member: Record<string, unknown>): Published | UnusableKey {
  const key = readPublishedKey(member);
  return key.kind === "unusable" ? key : { ...key, imported: undefined };
}

function membersOf(text: string): Record<string, unknown>[] {
  if (hasMoreParts(Buffer.from(text), PARTS_MAX)) {
    throw new InvalidKeySet(`the answer has more than ${PARTS_MAX} of the characters { [ : , outside of strings`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new InvalidKeySet(NO_SET, { cause });
  }
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new InvalidKeySet(NO_SET);
  return document.keys.filter(isJsonObject);
}

/** Those that come late are one too many for any token, and not kept. */
function addTo(keys: Map<string, Published[]>, name: string, key: Published | undefined): void {
  const known = keys.get(name) ?? [];
  if (key !== undefined && known.length < KEYS_TRIED_MAX) known.push(key);
  keys.set(name, known);
}
