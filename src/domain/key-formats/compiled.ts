import type { SecretHash } from "../credentials/key.ts";
import { looksLikeJwt } from "../tokens/jwt-form.ts";
import { hasForm } from "./characters.ts";
import { digestOf, hashHead, importedHash } from "./digest.ts";
import { type KeyFormat, type KeyFormatList, secretCharsMin } from "./key-format.ts";
import { type Peppers, pepperProblem } from "./peppers.ts";

export const PREFIX_CHARS = 12;
/** So many characters behind the prefix say little of a key, and tell keys apart. */
const SHOWN_CHARS = 4;

/** A format that is ready to read texts. */
export interface CompiledFormat {
  readonly format: KeyFormat;
  readonly hashHead: Uint8Array;
  readonly secretCharsMin: number;
  /** Empty: the algorithm has none, or it is missing. */
  readonly pepper: string;
  /** Why its keys cannot be checked. Undefined: they can. */
  readonly problem: string | undefined;
}

/** The formats that texts are compared with. */
export interface CompiledFormats {
  /** The format of a text. Undefined: it fits none. Whether it is a key of this service must be known before. */
  find(text: string): CompiledFormat | undefined;
  named(name: string): CompiledFormat | undefined;
  /** The format with a prefix that the text begins with. */
  begunBy(text: string): CompiledFormat | undefined;
  /** Why keys of some formats cannot be checked. */
  readonly problems: readonly string[];
}

export function compileFormats({ formats }: KeyFormatList, peppers: Peppers): CompiledFormats {
  const compiled = formats.map((format) => compileFormat(format, peppers));
  return {
    problems: compiled.flatMap(({ problem = [] }) => problem),
    find: (text) => compiled.find((each) => fits(each, text)),
    named: (name) => compiled.find(({ format }) => format.name === name),
    begunBy: (text) => compiled.find(({ format }) => format.prefix !== "" && text.startsWith(format.prefix)),
  };
}

function compileFormat(format: KeyFormat, peppers: Peppers): CompiledFormat {
  return {
    format,
    hashHead: hashHead(format),
    secretCharsMin: secretCharsMin(format),
    pepper: peppers.get(format.pepper) ?? "",
    problem: pepperProblem(format, peppers),
  };
}

function fits({ format, secretCharsMin: charsMin }: CompiledFormat, text: string): boolean {
  if (!hasForm(format, text) || looksLikeJwt(text)) return false;
  if (format.hashedPart === "WHOLE") return true;
  const at = text.lastIndexOf(format.separator);
  return at >= format.prefix.length && text.length - at - 1 >= charsMin;
}

/** The parts of a text that fits. */
export function partsOf({ format }: CompiledFormat, text: string): { publicPart: string; hashed: string } {
  const sent = format.case === "LOWER" ? text.toLowerCase() : text;
  if (format.hashedPart === "WHOLE") return { publicPart: "", hashed: sent };
  const at = sent.lastIndexOf(format.separator);
  return { publicPart: sent.slice(format.prefix.length, at), hashed: sent.slice(at + 1) };
}

/** The part of a key that is shown: its prefix and little more. */
export function shownPrefix({ format }: CompiledFormat, key: string): string {
  return key.slice(0, Math.min(PREFIX_CHARS, format.prefix.length + SHOWN_CHARS));
}

/** The hash of a text that fits, by which its key is found. */
export function hashForeign(compiled: CompiledFormat, text: string): SecretHash {
  const { publicPart, hashed } = partsOf(compiled, text);
  const { format, pepper } = compiled;
  return importedHash(compiled.hashHead, publicPart, digestOf(format.algorithm, hashed, pepper));
}
