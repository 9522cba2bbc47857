import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** The first byte of what is sealed, so that another form can follow. */
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES;
const KEY_BYTES = 32;

/** Encrypts what the database must give back, under a secret that is not in it. */
export interface Sealing {
  /** `place` is authenticated, so that no row can have what was sealed for another. */
  seal(secret: string, place: string, plain: Uint8Array): Uint8Array;
  /** Undefined: the secret does not decrypt it, it was sealed for another place, or it was changed. */
  open(secret: string, place: string, sealed: Uint8Array): Uint8Array | undefined;
}

/**
 * AES-256-GCM, with a key that HKDF-SHA-256 derives from the secret for one purpose: what was sealed for another one opens nothing.
 * HKDF and not a slow hash, because the secret is long and random.
 */
export function createSealing(purpose: string): Sealing {
  const keyOf = (secret: string): Uint8Array => derive(secret, purpose, KEY_BYTES);
  return {
    seal(secret, place, plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, body, cipher.getAuthTag()]);
    },
    open(secret, place, sealed) {
      if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES + TAG_BYTES) return undefined;
      const bytes = Buffer.from(sealed);
      const tagAt = bytes.length - TAG_BYTES;
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(1, HEAD_BYTES), options)
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(tagAt));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, tagAt)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** Bytes that a secret gives for one purpose, and that say nothing of it or of those for another purpose. */
export function derive(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, bytes));
}
