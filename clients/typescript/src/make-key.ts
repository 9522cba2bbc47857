import { checkOptions, namesOf } from "./known-options.ts";

export interface MakeKeyOptions {
  /** Only secret keys can be made by their callers. Default: `secret`. */
  readonly type?: "secret";
  /** Your platform's name in the key, such as the service's `KEY_BRAND`: 2 to 16 of `a-z0-9`, a letter first. Default: none. */
  readonly brand?: string;
}

/** A key that the service has never had. */
export interface MadeKey {
  /** The key's full value, for the one program that uses it. */
  readonly key: string;
  /** Its SHA-256 in hexadecimal digits: `secretHash` of `createApiKey`. */
  readonly secretHash: string;
  /** Its first characters without the brand, for display: `keyPrefix` of `createApiKey`. */
  readonly keyPrefix: string;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BRAND = /^[a-z][a-z0-9]{1,15}$/;
const RANDOM_CHARS = 30;
const CHECKSUM_CHARS = 6;
const DISPLAYED_RANDOM_CHARS = 9;
/** The largest multiple of 62 in a byte. Bytes from it on would favour the first letters. */
const UNBIASED_BELOW = 248;
const OPTIONS = namesOf<MakeKeyOptions>({ type: true, brand: true });

/**
 * Makes a secret key, so that only you ever have it: create it by its hash, which is all that the service gets.
 *
 * ```ts
 * const { key, ...made } = await makeKey();
 * await client.apiKeys.createApiKey({ name: "backend", permissions: ["plans:read"], ...made });
 * ```
 *
 * Throws a `TypeError` for a brand that no key can have. In a browser it needs a secure context (`https:`, or localhost), as
 * `crypto.subtle` does.
 */
export async function makeKey(options: MakeKeyOptions = {}): Promise<MadeKey> {
  checkOptions(options, OPTIONS);
  const { type = "secret", brand } = options;
  if (type !== "secret") throw new TypeError('type: must be "secret"');
  let random = "";
  while (random.length < RANDOM_CHARS) random += lettersOf(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)));
  return keyOf(random.slice(0, RANDOM_CHARS), brand);
}

/** The letters of random bytes, each as likely as any other. */
export function lettersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte < UNBIASED_BELOW ? ALPHABET.charAt(byte % ALPHABET.length) : "")).join("");
}

/** The key with these 30 random letters. */
export async function keyOf(random: string, brand?: string): Promise<MadeKey> {
  if (brand !== undefined && !BRAND.test(brand))
    throw new TypeError("brand: must be 2 to 16 of a-z and 0-9, beginning with a letter");
  const body = `sk_${brand === undefined ? "" : `${brand}_`}${random}`;
  const key = body + checksumOf(body);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const secretHash = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { key, secretHash, keyPrefix: `sk_${random.slice(0, DISPLAYED_RANDOM_CHARS)}` };
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let digits = 0; digits < CHECKSUM_CHARS; digits++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** CRC-32 as in zlib. Bit by bit: a table would be longer than all keys that a process makes. */
function crc32(ascii: string): number {
  let crc = -1;
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
