import type { KeyReport, KeysInUse } from "../../domain/tokens/key-set-report.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { hasMoreParts } from "../../domain/vocabulary/json-parts.ts";
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
   * The keys to try for a token: those with its `kid`, or all that fit if it has none. At most `KEYS_TRIED_MAX`, and of
   * costly ones at most `COSTLY_TRIED_MAX`.
   */
  keysFor(token: { alg: string; kid: string | undefined }): readonly CandidateKey[];
  /** Reports the keys, and why some are unusable. Imports the reported keys. */
  report(): Promise<Omit<KeysInUse, "fetchedAt">>;
  /** The tokens that these keys have verified. Closed with the set, so that tokens of a withdrawn key are rejected. */
  readonly verified: VerifiedTokens;
  /** Estimated upper bound of its memory, without the tokens. */
  readonly bytes: number;
}

/** A key that is imported at its first check. If the import fails, it verifies nothing. */
export interface CandidateKey extends Pick<PublicKey, "verifies"> {
  readonly isCostly: boolean;
}

/** The document is not a JWK set, or too large. The message says which; the tenant that configured the URL sees it. */
export class InvalidKeySet extends Error {
  override readonly name = "InvalidKeySet";
}

const NO_SET = "the answer is not a JWK set";
const NEVER_TRIED = "comes after the keys that are tried for a token with its kid and alg";
/**
 * Maximum number of parts of a document: as many as 512 KiB of the shortest real keys have. Parsing a document of parts
 * only, which a tenant can write and anyone can have fetched, would block the process for a tenth of a second.
 */
const PARTS_MAX = 60_000;
/** Keys tried for one token. No more keys of one id are kept. */
const KEYS_TRIED_MAX = 8;
/** Costly keys tried for one token: the old and the new key of a rotation. */
const COSTLY_TRIED_MAX = 2;
/** Imported keys that are kept. Beyond it, the oldest import is dropped and repeated when it is needed. */
const IMPORTS_MAX = 100;
/** Members of a set that are reported, and characters of a reported id. */
const REPORTED_MAX = 32;
const REPORTED_KID_CHARS_MAX = 256;

/** Memory sizes, measured and rounded up. A character may take two bytes. */
const SET_BYTES = 4_000;
const KID_BYTES = 200;
const KEY_BYTES = 500;
const IMPORT_BYTES = 7_000;
const NOTED_BYTES = 150;
const CHAR_BYTES = 2;

/** A published key with its import. */
interface Published extends PublishedKey {
  /** Imported for the algorithm that used it last. */
  imported: { readonly alg: string; readonly key: Promise<PublicKey | UnusableKey> } | undefined;
}

/** A member of the set that is reported. */
interface Noted {
  readonly kid: string | undefined;
  readonly key: Published | UnusableKey;
}

/**
 * Reads a JWK set. Throws `InvalidKeySet`. Members that are not usable keys are skipped, so that one bad key does not lock
 * out the users of the others.
 *
 * We do not use jose's `createLocalJWKSet`: it rejects a whole set for one bad member, and accepts RSA keys with the
 * exponent 1, for which anyone can compute signatures.
 */
export function parseKeySet(text: string, verified: VerifiedTokens): KeySet {
  /** Usable keys by their id. An id that only unusable keys have maps to an empty list. */
  const ofKid = new Map<string, Published[]>();
  /** The first keys that fit an algorithm, for tokens without a kid. */
  const ofAlgorithm = new Map<string, Published[]>();
  const withImport: Published[] = [];
  const noted: Noted[] = [];
  let bytes = SET_BYTES;
  let usableCount = 0;
  // Counted here: closures below must not keep the parsed document in memory.
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
    document = parseForeignJson(text);
  } catch (cause) {
    throw new InvalidKeySet(NO_SET, { cause });
  }
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new InvalidKeySet(NO_SET);
  return document.keys.filter(isJsonObject);
}

/** Keys beyond `KEYS_TRIED_MAX` are never tried, so they are not kept. */
function addTo(keys: Map<string, Published[]>, name: string, key: Published | undefined): void {
  const known = keys.get(name) ?? [];
  if (key !== undefined && known.length < KEYS_TRIED_MAX) known.push(key);
  keys.set(name, known);
}
