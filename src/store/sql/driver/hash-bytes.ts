import type { SecretHash } from "../../../domain/credentials/key.ts";

/** Converts a hash to the value of its column. */
export function hashBytes(secretHash: SecretHash): Buffer {
  return Buffer.from(secretHash, "base64url");
}

/** Converts the value of the column to a hash. */
export function hashOf(bytes: Uint8Array): SecretHash {
  return Buffer.from(bytes).toString("base64url");
}
