import { hash } from "node:crypto";
import { checkedDigest } from "./digest.ts";
import type { HashAlgorithm, ImportRow } from "./import-row.ts";
import { prefixOf } from "./key-forms.ts";
import { RowProblem } from "./read-result.ts";

/** The digest of a key, or the key itself. `member` names where the source has it, for problems. */
export type ImportedSecret =
  | {
      readonly kind: "digest";
      readonly member: string;
      readonly digest: string;
      /** Absent: the source does not say. */
      readonly algorithm?: HashAlgorithm | undefined;
      readonly pepper?: string;
    }
  | { readonly kind: "key"; readonly member: string; readonly key: string };

/** How plain keys of a source are imported. */
export interface PlainKeys {
  /** Sends the keys, for callers who may not import digests, and for formats with a pepper. Otherwise only digests leave this machine. */
  readonly send: boolean;
  /** That of the format: without a pepper it can be computed here. */
  readonly algorithm: "SHA256" | "SHA512";
}

const KEY_CHARS_MIN = 16;
const KEY_CHARS_MAX = 512;
/** ASCII from `!` to `~`, without the comma, with which a proxy joins two values of a header. */
const SENDABLE = /^[\x21-\x2b\x2d-\x7e]+$/;
/** At most so many characters behind the prefix are shown, and so many are not: 112 bits of hex. */
const SHOWN_CHARS_MAX = 4;
const HIDDEN_CHARS_MIN = 28;

/** The members of a row that hold the key or its digest. */
export function secretMembers(
  secret: ImportedSecret,
  plain: PlainKeys,
): Pick<ImportRow, "hash" | "key" | "key_prefix"> {
  if (secret.kind === "digest") {
    const { member, algorithm, pepper } = secret;
    const digest = checkedDigest(member, secret.digest, algorithm);
    return { hash: { ...(algorithm && { algorithm }), digest, ...(pepper !== undefined && { pepper }) } };
  }
  const { member, key } = secret;
  if (key.length < KEY_CHARS_MIN || key.length > KEY_CHARS_MAX)
    throw new RowProblem(member, `must have ${KEY_CHARS_MIN} to ${KEY_CHARS_MAX} characters`);
  if (!SENDABLE.test(key)) throw new RowProblem(member, "must have only visible ASCII characters, and no comma");
  if (plain.send) return { key };
  const digest = hash(plain.algorithm === "SHA256" ? "sha256" : "sha512", key, "hex");
  return { hash: { algorithm: plain.algorithm, digest }, ...shownOf(key) };
}

function shownOf(key: string): Pick<ImportRow, "key_prefix"> {
  const prefix = prefixOf(key);
  const shown = Math.min(SHOWN_CHARS_MAX, Math.max(0, key.length - prefix.length - HIDDEN_CHARS_MIN));
  const beginning = key.slice(0, prefix.length + shown);
  return beginning === "" ? {} : { key_prefix: beginning };
}
