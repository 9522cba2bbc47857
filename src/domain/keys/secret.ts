import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { KeyType, SecretHash } from "./key.ts";

/**
 * A key's value: `sk_` or `pk_`, 30 random base62 characters (178 bits) and a 6-character CRC-32 of all before it.
 *
 * Published for secret scanners. It has no anchors, so that it finds keys in text.
 */
export const SECRET_PATTERN = /[sp]k_[0-9A-Za-z]{36}/;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIXES: Record<KeyType, string> = { secret: "sk_", publishable: "pk_" };
const RANDOM_CHARS = 30;
const CHECKSUM_CHARS = 6;
/** Length of every key. */
export const SECRET_CHARS = 3 + RANDOM_CHARS + CHECKSUM_CHARS;
const WELL_FORMED = new RegExp(`^${SECRET_PATTERN.source}$`);
/** A prefix and printable characters. No comma: a proxy joins two header values with one. */
const PREFIXED = /^[sp]k_[\x21-\x2b\x2d-\x7e]+$/;
/** Shown in lists and logs. Leaves 21 random characters (125 bits) unknown. */
export const DISPLAY_CHARS = 12;

/** What a presented `X-API-Key` looks like, without any I/O. */
export type SecretForm = "well_formed" | "unknown" | "invalid";

/** Makes a new key value. */
export function makeSecret(type: KeyType): string {
  const body = PREFIXES[type] + randomBase62(RANDOM_CHARS);
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

export function secretPrefix(secret: string): string {
  return secret.slice(0, DISPLAY_CHARS);
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
