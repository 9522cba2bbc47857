import type { Algorithm } from "../../domain/key-formats/key-format.ts";

/** A form that keys of an export have. Members are absent where the export does not show them. */
export interface KeyForm {
  readonly prefix: string;
  readonly length_min?: number;
  readonly length_max?: number;
  readonly alphabet?: Alphabet;
  readonly algorithm?: Algorithm;
  readonly keys: number;
}

type Alphabet = (typeof ALPHABETS)[number][0];

const UUID = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
/** From narrow to wide; UUIDs have hyphens, which HEX has not. */
const ALPHABETS = [
  ["HEX", /^[0-9A-Fa-f]*$/],
  ["UUID", UUID],
  ["BASE62", /^[0-9A-Za-z]*$/],
  ["BASE64URL", /^[0-9A-Za-z_-]*$/],
  ["VISIBLE", /^/],
] as const;
/** One or two words: `acme_`, `sk_live_`, `sk-`. */
const PREFIX = /^[A-Za-z][0-9A-Za-z]{0,15}[_-](?:[A-Za-z]{2,8}[_-])?/;
const BODY_CHARS_MIN = 16;
const SEEN_MAX = 256;
/** While so many forms are seen, a random prefix hardly comes more often. */
const RANDOM_KEYS_MAX = 7;
/** Two in five texts of base64url have a `-` or `_` where a prefix could end. Keys share a real prefix. */
const PREFIX_SHARE_MIN = 0.05;

/** Keys of one prefix and algorithm. */
interface Seen {
  readonly prefix: string;
  readonly algorithm: Algorithm | undefined;
  readonly keys: number;
  /** Lengths, and the alphabets to which all belong, as bits. Absent for digests. */
  readonly texts?: { readonly min: number; readonly max: number; readonly alphabets: number };
}

/** Collects the forms of a file's keys, by prefix and algorithm. */
export class KeyForms {
  #seen = new Map<string, Seen>();

  /** A key in plain text. */
  addKey(key: string): void {
    const prefix = prefixOf(key);
    const alphabets = alphabetsOf(key.slice(prefix.length));
    this.#add({ prefix, algorithm: "SHA256", keys: 1, texts: { min: key.length, max: key.length, alphabets } });
  }

  /** A digest, and the beginning of its key if the source shows it. */
  addDigest(beginning: string | undefined, algorithm: Algorithm | undefined): void {
    this.#add({ prefix: prefixOf(beginning ?? "", 0), algorithm, keys: 1 });
  }

  /** The forms, the most frequent first. */
  list(): readonly KeyForm[] {
    const total = [...this.#seen.values()].reduce((sum, { keys }) => sum + keys, 0);
    const forms = [...folded(this.#seen, Math.ceil(total * PREFIX_SHARE_MIN) - 1).values()];
    return forms.map(formOf).toSorted((a, b) => b.keys - a.keys);
  }

  #add(one: Seen): void {
    addTo(this.#seen, one);
    if (this.#seen.size > SEEN_MAX) this.#seen = folded(this.#seen, RANDOM_KEYS_MAX);
  }
}

/** The forms, with those of at most so many keys as keys without a prefix. */
function folded(all: ReadonlyMap<string, Seen>, keysMax: number): Map<string, Seen> {
  const merged = new Map<string, Seen>();
  for (const each of all.values()) addTo(merged, each.keys <= keysMax ? withoutPrefix(each) : each);
  return merged;
}

function addTo(all: Map<string, Seen>, one: Seen): void {
  const name = nameOf(one);
  const seen = all.get(name);
  const texts = seen?.texts &&
    one.texts && {
      min: Math.min(seen.texts.min, one.texts.min),
      max: Math.max(seen.texts.max, one.texts.max),
      alphabets: seen.texts.alphabets & one.texts.alphabets,
    };
  all.set(name, seen === undefined ? one : { ...seen, keys: seen.keys + one.keys, ...(texts && { texts }) });
}

function nameOf({ prefix, algorithm, texts }: Seen): string {
  return `${texts === undefined ? "digest" : "text"} ${algorithm} ${prefix}`;
}

/** Counts a supposed prefix as a part of the key. */
function withoutPrefix({ texts, prefix, ...seen }: Seen): Seen {
  const alphabets = texts && texts.alphabets & alphabetsOf(prefix);
  return { ...seen, prefix: "", ...(texts && alphabets !== undefined && { texts: { ...texts, alphabets } }) };
}

function formOf({ prefix, algorithm, keys, texts }: Seen): KeyForm {
  const alphabet = texts && ALPHABETS.find((_, index) => (texts.alphabets & (1 << index)) !== 0)?.[0];
  const lengths = texts && { length_min: texts.min, length_max: texts.max };
  return { prefix, ...(algorithm && { algorithm }), keys, ...lengths, ...(alphabet && { alphabet }) };
}

function alphabetsOf(text: string): number {
  return ALPHABETS.reduce((bits, [, form], index) => (form.test(text) ? bits | (1 << index) : bits), 0);
}

/** The prefix that a key seems to have. */
function prefixOf(text: string, bodyCharsMin = BODY_CHARS_MIN): string {
  const prefix = UUID.test(text) ? "" : (PREFIX.exec(text)?.[0] ?? "");
  return text.length - prefix.length >= bodyCharsMin ? prefix : "";
}
