import type { Alphabet, KeyFormat } from "./key-format.ts";

const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdefABCDEF`;
const BASE62 = `${DIGITS}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ`;

const OF_ALPHABET: Readonly<Record<Exclude<Alphabet, "UUID">, string>> = {
  HEX,
  BASE62,
  BASE64URL: `${BASE62}-_`,
  VISIBLE: Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n))
    .filter((char) => char !== ",")
    .join(""),
};
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23]);

/** The part of a format that says which texts fit it. */
export type FormatShape = Pick<
  KeyFormat,
  "prefix" | "lengthMin" | "lengthMax" | "alphabet" | "case" | "hashedPart" | "separator"
>;

/** The characters that a text of the format can have at this place. */
export function charactersAt(format: FormatShape, place: number): string {
  const { prefix, alphabet, separator } = format;
  if (place < prefix.length) return eitherCase(format, prefix.charAt(place));
  if (alphabet === "UUID") return HYPHENS.has(place - prefix.length) ? "-" : HEX;
  return OF_ALPHABET[alphabet] + separator;
}

function eitherCase({ case: of }: FormatShape, character: string): string {
  return of === "LOWER" ? character + character.toUpperCase() : character;
}

/** Whether a text could fit both formats. At most 32 formats exist, and a text has at most 512 characters. */
export function shareText(one: FormatShape, other: FormatShape): boolean {
  // The shortest text that both can have: a longer one only has more places at which they can differ.
  const length = Math.max(one.lengthMin, other.lengthMin);
  if (length > Math.min(one.lengthMax, other.lengthMax)) return false;
  for (let place = 0; place < length; place++) {
    const allowed = charactersAt(other, place);
    if (![...charactersAt(one, place)].some((character) => allowed.includes(character))) return false;
  }
  return true;
}

/** What follows the prefix, without separators. */
const BODY: Readonly<Record<Alphabet, RegExp>> = {
  HEX: /^[\da-fA-F]*$/,
  BASE62: /^[\da-zA-Z]*$/,
  BASE64URL: /^[\w-]*$/,
  VISIBLE: /^[\x21-\x2b\x2d-\x7e]*$/,
  UUID: /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/,
};

/** Whether a text has the length and the characters of the format. */
export function hasForm(format: FormatShape, text: string): boolean {
  const { prefix, lengthMin, lengthMax, alphabet, separator } = format;
  if (text.length < lengthMin || text.length > lengthMax || !beginsWith(format, text)) return false;
  const body = text.slice(prefix.length);
  return BODY[alphabet].test(separator === "" || alphabet === "UUID" ? body : body.replaceAll(separator, ""));
}

function beginsWith({ prefix, case: of }: FormatShape, text: string): boolean {
  if (of === "AS_SENT") return text.startsWith(prefix);
  const head = text.slice(0, prefix.length);
  // Other characters than ASCII become such letters in lower case, too.
  return BODY.VISIBLE.test(head) && head.toLowerCase() === prefix;
}
