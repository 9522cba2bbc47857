import type { KeyType, SecretHash } from "../credentials/key.ts";
import { faultOf, invalid, type RequestFault } from "../vocabulary/request-fault.ts";

/** A key that the caller made, by its SHA-256 in lowercase hexadecimal digits. */
export interface CallerMadeSecret {
  readonly secretHash: string;
  /** The key's first characters, which the hash does not show. Undefined: unknown. */
  readonly secretPrefix: string | undefined;
}

/** The stored part of a secret. */
export interface StoredSecret {
  readonly secretHash: SecretHash;
  readonly secretPrefix: string;
}

const SHA_256_HEX = /^[0-9a-f]{64}$/;
const SHOWN = /^sk_[0-9A-Za-z]{9}$/;
/** Begins every secret key. */
const UNKNOWN_PREFIX = "sk_";

/** Checks the hash of a key that the caller made. Null: the service is to make it. */
export function checkedSecret(type: KeyType, made: Partial<CallerMadeSecret>): StoredSecret | null {
  const { secretHash, secretPrefix } = made;
  if (secretHash === undefined) {
    if (secretPrefix === undefined) return null;
    throw invalid("key_prefix", "is only for a key that you made: remove it, or send its secret_hash");
  }
  if (type !== "secret")
    throw faultOf(
      "not_for_key_type",
      "secret_hash",
      "is only for secret keys: remove it, or set keyType to KEY_TYPE_SECRET",
    );
  if (!SHA_256_HEX.test(secretHash))
    throw invalid(
      "secret_hash",
      "must be the SHA-256 of a key, as 64 hexadecimal digits; makeKey of a client returns it",
    );
  if (secretPrefix !== undefined && !SHOWN.test(secretPrefix))
    throw invalid("key_prefix", "must be the first 12 characters of the key without its brand, such as sk_7Xc2Rn4Kq");
  return {
    secretHash: Buffer.from(secretHash, "hex").toString("base64url"),
    secretPrefix: secretPrefix ?? UNKNOWN_PREFIX,
  };
}

/** It does not say whose key has the hash: a caller who knows only a hash must not learn where the key works. */
export function secretHashTaken(): RequestFault {
  return faultOf(
    "secret_hash_taken",
    "secret_hash",
    "a key has this hash already; make another key, and send its hash",
  );
}
