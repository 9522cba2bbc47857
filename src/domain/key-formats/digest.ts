import { createHmac, hash } from "node:crypto";
import type { SecretHash } from "../credentials/key.ts";
import type { Algorithm, KeyFormat } from "./key-format.ts";

const BYTES: Readonly<Record<Algorithm, number>> = {
  SHA256: 32,
  SHA512: 64,
  HMAC_SHA256: 32,
  HMAC_SHA512: 64,
  SHA256_SUFFIX: 32,
};

const HEX = /^[0-9a-fA-F]+$/;

/** The digest that the other system has stored of this part of a key. `pepper`: empty if the algorithm has none. */
export function digestOf(algorithm: Algorithm, part: string, pepper: string): Uint8Array {
  switch (algorithm) {
    case "SHA256":
      return hash("sha256", part, "buffer");
    case "SHA512":
      return hash("sha512", part, "buffer");
    case "HMAC_SHA256":
      return createHmac("sha256", pepper).update(part).digest();
    case "HMAC_SHA512":
      return createHmac("sha512", pepper).update(part).digest();
    case "SHA256_SUFFIX":
      return hash("sha256", part + pepper, "buffer");
    default:
      return algorithm satisfies never;
  }
}

/**
 * A digest that was written in hex, base64 or base64url, padded or not: its length says in which. Undefined: it is in no such encoding, not of this
 * algorithm, or has bits beyond its bytes, which no encoder writes.
 */
export function decodedDigest(algorithm: Algorithm, text: string): Uint8Array | undefined {
  const bytes = BYTES[algorithm];
  if (text.length === bytes * 2) return HEX.test(text) ? Buffer.from(text, "hex") : undefined;
  const bare = text.replace(/={1,2}$/, "");
  const padded = Math.ceil(bytes / 3) * 4;
  if (bare.length !== Math.ceil((bytes * 4) / 3) || (text !== bare && text.length !== padded)) return undefined;
  const decoded = Buffer.from(bare, "base64url");
  // Some tables have base64 of the hex, which has the length of a longer digest.
  if (HEX.test(decoded.toString("latin1"))) return undefined;
  const isSame = decoded.toString("base64url") === bare.replaceAll("+", "-").replaceAll("/", "_");
  return isSame && decoded.length === bytes && !(/[-_]/.test(bare) && /[+/]/.test(bare)) ? decoded : undefined;
}

/** The hash by which an imported key is stored and found. */
export function importedHash(head: Uint8Array, publicPart: string, digest: Uint8Array): SecretHash {
  return hash("sha256", Buffer.concat([head, Buffer.from(`${publicPart}\0`), digest]), "base64url");
}

/** What `importedHash` begins with: no two formats have hashes in common, nor have imported keys and those of this service. */
export function hashHead({ name }: Pick<KeyFormat, "name">): Uint8Array {
  return Buffer.from(`lk-import-1\0${name}\0`);
}
