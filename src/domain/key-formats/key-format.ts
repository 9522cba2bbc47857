/** The characters that follow the prefix. `VISIBLE` has no comma: a proxy joins two header values with one. */
export const ALPHABETS = ["HEX", "BASE62", "BASE64URL", "VISIBLE", "UUID"] as const;
export type Alphabet = (typeof ALPHABETS)[number];

export const ALGORITHMS = ["SHA256", "SHA512", "HMAC_SHA256", "HMAC_SHA512", "SHA256_SUFFIX"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** `LOWER`: the other system compares without case, and has hashed the text in lower case. */
export const CASES = ["AS_SENT", "LOWER"] as const;
export const HASHED_PARTS = ["WHOLE", "AFTER_LAST"] as const;

/** The form of another system's keys, and how that system has hashed them. It never changes. */
export interface KeyFormat {
  readonly name: string;
  readonly prefix: string;
  /** Of the whole text. */
  readonly lengthMin: number;
  readonly lengthMax: number;
  readonly alphabet: Alphabet;
  readonly case: (typeof CASES)[number];
  readonly algorithm: Algorithm;
  /** The name of the pepper. Empty: the algorithm has none. */
  readonly pepper: string;
  /** That of the pepper when the format was created. Empty: the algorithm has none. */
  readonly pepperFingerprint: string;
  readonly hashedPart: (typeof HASHED_PARTS)[number];
  /** One character. Empty: the whole text is hashed. */
  readonly separator: string;
  /** Whether its keys may also come as `Authorization: Bearer`. */
  readonly isBearer: boolean;
  /** The tenants whose dashboard users may import keys by their hash. */
  readonly tenants: readonly string[];
  readonly createdAt: Date;
}

/** The formats as they are cached: one record for all of them. */
export interface KeyFormatList {
  readonly formats: readonly KeyFormat[];
}

/** The length of a UUID. */
export const UUID_CHARS = 36;

/** Whether the digest depends on a secret of the configuration. */
export function hasPepper(algorithm: Algorithm): boolean {
  return algorithm === "HMAC_SHA256" || algorithm === "HMAC_SHA512" || algorithm === "SHA256_SUFFIX";
}

const BITS_PER_CHARACTER: Readonly<Record<Exclude<Alphabet, "UUID">, number>> = {
  HEX: 4,
  BASE62: Math.log2(62),
  BASE64URL: 6,
  VISIBLE: Math.log2(93),
};
/** Of a UUID of version 4. */
const UUID_BITS = 122;
/** Who holds a digest tries 10^13 texts a second: 88 bits fall in a year if there are a million digests. */
const BITS_MIN = 112;
/** Who holds a digest without its pepper can try nothing. */
const PEPPERED_BITS_MIN = 64;

/** The fewest random characters of a key that cannot be found by its digest. */
export function secretCharsMin({ alphabet, algorithm }: Pick<KeyFormat, "alphabet" | "algorithm">): number {
  const bitsMin = hasPepper(algorithm) ? PEPPERED_BITS_MIN : BITS_MIN;
  if (alphabet === "UUID") return bitsMin <= UUID_BITS ? UUID_CHARS : Number.POSITIVE_INFINITY;
  return Math.ceil(bitsMin / BITS_PER_CHARACTER[alphabet]);
}
