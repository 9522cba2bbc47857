import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { KeyType, SecretHash } from "./key.ts";

/**
 * A key's value: `sk_` or `pk_`, the platform's brand and `_` if it had one when the key was made, 30 random base62
 * characters (178 bits) and a 6-character CRC-32 of all before it.
 *
 * It matches every brand, so that keys outlive a change of it. It has no anchors, so that it finds keys in text.
 */
export const SECRET_PATTERN = /[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{36}/;
/** What a brand can be. */
export const KEY_BRAND = /^[a-z][a-z0-9]{1,15}$/;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIXES: Record<KeyType, string> = { secret: "sk_", publishable: "pk_" };
const RANDOM_CHARS = 30;
const CHECKSUM_CHARS = 6;
/** Length of every key without its brand. */
export const SECRET_CHARS = 3 + RANDOM_CHARS + CHECKSUM_CHARS;
const WELL_FORMED = new RegExp(`^${SECRET_PATTERN.source}$`);
/** A prefix and printable characters. No comma: a proxy joins two header values with one. */
const PREFIXED = /^[sp]k_[\x21-\x2b\x2d-\x7e]+$/;
/** Shown in lists and logs. Leaves 21 random characters (125 bits) unknown. */
export const DISPLAY_CHARS = 12;

const BRANDED = /^([sp]k_)[a-z][a-z0-9]{1,15}_/;

/** What a presented `X-API-Key` looks like, without any I/O. */
export type SecretForm = "well_formed" | "unknown" | "invalid";

/** Makes a new key value, with a brand or, by null, without one. */
export function makeSecret(type: KeyType, brand: string | null = null): string {
  const body = PREFIXES[type] + (brand === null ? "" : `${brand}_`) + randomBase62(RANDOM_CHARS);
  return body + checksum(body);
}

/** `unknown`: it begins like a key, but this service never made such a key, so no look-up is needed. */
export function secretForm(value: string): SecretForm {
  if (WELL_FORMED.test(value)) {
    const body = value.slice(0, -CHECKSUM_CHARS);
    return checksum(body) === value.slice(-CHECKSUM_CHARS) ? "well_formed" : "unknown";
  }
  return PREFIXED.test(value) ? "unknown" : "invalid";
}

/** The hash that is stored instead of the secret. 178 random bits need no salt and no slow hash. */
export function hashSecret(secret: string): SecretHash {
  return hash("sha256", secret, "base64url");
}

/** Without the brand, which is the same in all keys: at its longest it would leave no character to tell keys apart. */
export function secretPrefix(secret: string): string {
  return withoutBrand(secret).slice(0, DISPLAY_CHARS);
}

/** A key, or the beginning of one, without its brand. */
export function withoutBrand(text: string): string {
  return text.replace(BRANDED, "$1");
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_CHARS; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** Uniform: bytes at or above 248 = 4 * 62 are discarded, since they would favour the first letters. */
function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
