import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** The first byte of what is sealed, so that another form can follow. */
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES;
const KEY_BYTES = 32;
const PURPOSE = "latchkey signing key";

/**
 * Encrypts a private key: AES-256-GCM, with a key that HKDF-SHA-256 derives from the secret. The `kid` is authenticated, so
 * that no row can have the private key of another. HKDF and not a slow hash, because the secret is long and random.
 */
export function seal(secret: string, kid: string, plain: Uint8Array): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv).setAAD(Buffer.from(kid));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), iv, body, cipher.getAuthTag()]);
}

/** Undefined: the secret does not decrypt it, or it was changed. */
export function open(secret: string, kid: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES + TAG_BYTES) return undefined;
  const bytes = Buffer.from(sealed);
  const tagAt = bytes.length - TAG_BYTES;
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(1, HEAD_BYTES), options)
    .setAAD(Buffer.from(kid))
    .setAuthTag(bytes.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, tagAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Uint8Array {
  return Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES));
}
