import type { KeyType, SecretHash } from "../credentials/key.ts";
import { hashSecret, secretForm, secretPrefix } from "../credentials/secret.ts";
import {
  type CompiledFormat,
  type CompiledFormats,
  PREFIX_CHARS,
  partsOf,
  shownPrefix,
} from "../key-formats/compiled.ts";
import { decodedDigest, digestOf, importedHash } from "../key-formats/digest.ts";
import { formatNotFound } from "../key-formats/formats.ts";
import { faultOf, invalid, type RequestFault } from "../vocabulary/request-fault.ts";
import { isGuessable } from "./guessable.ts";
import type { GivenHash, ImportedRow } from "./row.ts";

/** How an imported key is found, and what an export says of it. */
export interface ImportedSecret {
  readonly secretHash: SecretHash;
  /** Empty: the key is of this service's own form. */
  readonly keyFormat: string;
  readonly secretPrefix: string;
  /** Null: the whole key was hashed. */
  readonly publicPart: string | null;
  /** Null: it is `secretHash`. */
  readonly digest: Uint8Array | null;
}

/** The members of a row that say which key it is. */
export type KeyOfRow = Pick<
  ImportedRow,
  "tenantId" | "type" | "hash" | "key" | "keyFormat" | "publicPart" | "keyPrefix"
>;

/** Whether the caller may import keys of a tenant by their hash. Undefined format: keys of this service. */
export type MayUseHash = (format: CompiledFormat | undefined, tenantId: string) => boolean;

/** Reads how the key of a row is found. Throws `RequestFault`. */
export function secretOfRow(row: KeyOfRow, formats: CompiledFormats, mayUseHash: MayUseHash): ImportedSecret {
  if ((row.hash === null) === (row.key === "")) {
    throw faultOf("one_of_required", "hash", "is required, or instead of it key: exactly one of the two");
  }
  if (row.type === "publishable" && row.keyFormat !== "")
    throw invalid("keyType", "must be KEY_TYPE_SECRET with a key format: only keys of this service are publishable");
  return row.hash === null ? secretOfKey(row, formats) : secretOfHash(row, row.hash, formats, mayUseHash);
}

function secretOfKey(
  { key, type, keyFormat, keyPrefix, publicPart }: KeyOfRow,
  formats: CompiledFormats,
): ImportedSecret {
  if (publicPart !== "") throw invalid("public_part", "is only for hash; leave it out, key has it");
  if (!key.startsWith(keyPrefix)) throw invalid("key_prefix", "is not the beginning of key; leave it out");
  const isOwn = secretForm(key) === "well_formed";
  if (isOwn && typeOf(key) !== type) throw otherType(typeOf(key));
  const found = isOwn ? undefined : formats.find(key);
  if (!isOwn && found === undefined)
    throw invalid("key", "fits no key format; have the operator create one, and send the key without any encoding");
  const name = found?.format.name ?? "";
  if (keyFormat !== "" && keyFormat !== name) {
    const problem = name === "" ? "the key is one of this service" : `the key has the key format ${name}`;
    throw invalid("key_format", `${problem}; leave key_format out`);
  }
  if (found === undefined) return ownSecret(hashSecret(key), secretPrefix(key));
  if (type === "publishable") throw otherType("secret");
  refuseWithoutPepper(found);
  const parts = partsOf(found, key);
  if (isGuessable(key.slice(found.format.prefix.length))) throw notImportable("key");
  const digest = digestOf(found.format.algorithm, parts.hashed, found.pepper);
  return foreignSecret(found, digest, parts.publicPart, keyPrefix || shownPrefix(found, key));
}

function secretOfHash(
  { tenantId, type, keyFormat, keyPrefix, publicPart }: KeyOfRow,
  hash: GivenHash,
  formats: CompiledFormats,
  mayUseHash: MayUseHash,
): ImportedSecret {
  const found = keyFormat === "" ? undefined : formats.named(keyFormat);
  if (keyFormat !== "" && found === undefined) throw formatNotFound();
  if (!mayUseHash(found, tenantId)) {
    throw invalid("hash", "is not for your tenant by this key format; send key, or have the operator import the row");
  }
  const { algorithm = "SHA256", pepper = "" } = found?.format ?? {};
  if (hash.algorithm !== undefined && hash.algorithm !== algorithm)
    throw invalid("hash.algorithm", `must be ${algorithm}, as the key format says`);
  if (hash.pepper !== "" && hash.pepper !== pepper)
    throw invalid(
      "hash.pepper",
      pepper === "" ? "is not for this key format" : `must be ${pepper}, as the key format says`,
    );
  const digest = decodedDigest(algorithm, hash.digest);
  if (digest === undefined)
    throw invalid("hash.digest", `must be the bytes of ${algorithm} in hex, base64 or base64url, each written in full`);
  const isSplit = found?.format.hashedPart === "AFTER_LAST";
  if (isSplit !== (publicPart !== "")) {
    throw isSplit
      ? faultOf("required", "public_part", "is required: the key format hashes only what follows the last separator")
      : invalid("public_part", "is not for this key format, which hashes the whole key");
  }
  if (found === undefined && keyPrefix === "")
    throw faultOf("required", "key_prefix", "is required: it says whether the key is secret or publishable");
  if (found === undefined && typeOf(keyPrefix) !== type) throw otherType(typeOf(keyPrefix));
  if (found === undefined) return ownSecret(Buffer.from(digest).toString("base64url"), secretPrefix(keyPrefix));
  refuseWithoutPepper(found);
  return foreignSecret(found, digest, publicPart, keyPrefix || found.format.prefix.slice(0, PREFIX_CHARS));
}

/** Of a key of this service, or its beginning. */
export function typeOf(key: string): KeyType {
  return key.startsWith("pk_") ? "publishable" : "secret";
}

function otherType(type: KeyType): RequestFault {
  return invalid("keyType", `must be that of the key, which is ${type}`);
}

function ownSecret(secretHash: SecretHash, shown: string): ImportedSecret {
  return { secretHash, keyFormat: "", secretPrefix: shown, publicPart: null, digest: null };
}

function foreignSecret(
  { format, hashHead }: CompiledFormat,
  digest: Uint8Array,
  publicPart: string,
  shown: string,
): ImportedSecret {
  return {
    secretHash: importedHash(hashHead, publicPart, digest),
    keyFormat: format.name,
    secretPrefix: secretPrefix(shown),
    publicPart: format.hashedPart === "WHOLE" ? null : publicPart,
    digest,
  };
}

/** The keys would be stored, and never be admitted. */
function refuseWithoutPepper({ problem }: CompiledFormat): void {
  if (problem !== undefined)
    throw invalid("key_format", "lacks its pepper in this service; have the operator correct KEY_PEPPERS_FILE");
}

/**
 * Of a key that is too easy to guess, and of one that another tenant has: the sender must not learn which.
 */
export function notImportable(field: "hash" | "key"): RequestFault {
  return faultOf(
    "key_not_importable",
    field,
    "cannot be imported: it is too easy to guess, or in use elsewhere; give its holder a new key",
  );
}
