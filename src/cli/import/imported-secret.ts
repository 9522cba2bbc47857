import { type KeyOfRow, secretOfRow, typeOf } from "../../domain/imports/secret-of-row.ts";
import type { CompiledFormats } from "../../domain/key-formats/compiled.ts";
import { decodedDigest } from "../../domain/key-formats/digest.ts";
import { type Algorithm, hasPepper } from "../../domain/key-formats/key-format.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";
import type { ImportRow } from "./import-row.ts";
import { RowProblem } from "./read-result.ts";

/** The digest of a key, or the key itself. `member` names where the source has it, for problems. */
export type ImportedSecret =
  | {
      readonly kind: "digest";
      readonly member: string;
      readonly digest: string;
      /** Absent: the source does not say. */
      readonly algorithm?: Algorithm | undefined;
      readonly pepper?: string;
    }
  | { readonly kind: "key"; readonly member: string; readonly key: string };

/** How plain keys of a source are imported. */
export type PlainKeys =
  /** The keys are sent: for callers who may not import digests, and for formats with a pepper. */
  | { readonly kind: "send" }
  /** Only digests leave this machine. `formats`: those of the service; undefined: the caller may not read them. */
  | { readonly kind: "hash"; readonly formats: CompiledFormats | undefined };

type SecretMembers = Pick<ImportRow, "hash" | "key" | "key_prefix" | "key_format" | "public_part">;

/** The members of a row that hold the key or its digest. `keyFormat`: as the row or the caller names it. Throws `RowProblem`. */
export function secretMembers(
  secret: ImportedSecret,
  plain: PlainKeys,
  keyFormat: string | undefined,
  needsFormat: boolean,
): SecretMembers {
  const named = keyFormat === undefined ? {} : { key_format: keyFormat };
  if (secret.kind === "digest") {
    const { member, algorithm, pepper } = secret;
    const digest = checkedDigest(member, secret.digest, algorithm);
    if (needsFormat && keyFormat === undefined)
      throw new RowProblem(member, "is a digest, which needs the key format of its key; name it with --key-format");
    return { ...named, hash: { ...(algorithm && { algorithm }), digest, ...(pepper !== undefined && { pepper }) } };
  }
  const { member, key } = secret;
  return plain.kind === "send" ? { ...named, key } : hashedMembers(member, key, keyFormat, plain.formats);
}

/** Hashes a key as the service would. */
function hashedMembers(
  member: string,
  key: string,
  keyFormat = "",
  formats: CompiledFormats | undefined,
): SecretMembers {
  if (formats === undefined)
    throw new RowProblem(member, "cannot be hashed here, because only the operator reads key formats; add --send-keys");
  const format = formats.find(key)?.format;
  if (format !== undefined && hasPepper(format.algorithm))
    throw new RowProblem(member, "cannot be hashed here, because only the service has its pepper; add --send-keys");
  const { secretHash, digest, publicPart, secretPrefix } = withFaultsOf(member, () =>
    secretOfRow({ ...KEY, key, keyFormat, type: typeOf(key) }, formats, () => true),
  );
  const bytes = digest ?? Buffer.from(secretHash, "base64url");
  return {
    hash: { algorithm: format?.algorithm ?? "SHA256", digest: Buffer.from(bytes).toString("hex") },
    key_prefix: secretPrefix,
    ...(format && { key_format: format.name }),
    ...(publicPart !== null && { public_part: publicPart }),
  };
}

const KEY: KeyOfRow = {
  ...{ tenantId: "", type: "secret", hash: null, key: "" },
  ...{ keyFormat: "", publicPart: "", keyPrefix: "" },
};

/** How the service finds the key of a row that has a digest. Throws `RowProblem`. */
export function identityOf(row: ImportRow, formats: CompiledFormats): string {
  const { hash, key_format: keyFormat = "", public_part: publicPart = "", key_prefix: keyPrefix = "" } = row;
  const given = { algorithm: hash?.algorithm, digest: hash?.digest ?? "", pepper: hash?.pepper ?? "" };
  const type = keyFormat === "" ? typeOf(keyPrefix) : "secret";
  const key = { ...KEY, type, hash: given, keyFormat, publicPart, keyPrefix };
  return withFaultsOf("hash", () => secretOfRow(key, formats, () => true).secretHash);
}

function withFaultsOf<Result>(member: string, work: () => Result): Result {
  try {
    return work();
  } catch (err) {
    if (err instanceof RequestFault) throw new RowProblem(member, err.message.replace(`${err.field}: `, ""));
    throw err;
  }
}

/** The length of a digest says which algorithm it can be of, where the source names none. */
function checkedDigest(member: string, digest: string, algorithm: Algorithm | undefined): string {
  const possible = algorithm === undefined ? (["SHA256", "SHA512"] as const) : [algorithm];
  if (possible.some((each) => decodedDigest(each, digest) !== undefined)) return digest;
  throw new RowProblem(
    member,
    `must be the bytes of ${possible.join(" or ")} in hex, base64 or base64url, and not base64 of hex`,
  );
}
