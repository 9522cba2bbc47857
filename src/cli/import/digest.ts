import type { HashAlgorithm } from "./import-row.ts";
import { RowProblem } from "./read-result.ts";

const BYTES = { SHA256: 32, SHA512: 64, HMAC_SHA256: 32, HMAC_SHA512: 64, SHA256_SUFFIX: 32 } as const;
const HEX = /^[0-9A-Fa-f]+$/;
const BASE64 = /^[0-9A-Za-z+/_-]+={0,2}$/;

/**
 * Checks that a text is a digest of the algorithm, or of any one, in hex, base64 or base64url: its length tells them apart. Base64 of
 * the hex, as some tables have it, has the length of a longer digest; base64 with spare bits set is not what any encoder writes.
 */
export function checkedDigest(member: string, digest: string, algorithm: HashAlgorithm | undefined): string {
  const lengths = algorithm === undefined ? [32, 64] : [BYTES[algorithm]];
  if (HEX.test(digest) && lengths.includes(digest.length / 2)) return digest;
  const bytes = BASE64.test(digest) ? Buffer.from(digest, "base64") : Buffer.alloc(0);
  const body = digest.replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  if (HEX.test(bytes.toString("latin1")))
    throw new RowProblem(member, "is base64 of hexadecimal digits; decode it once");
  const isPadded = body.length === digest.length || digest.length % 4 === 0;
  if (lengths.includes(bytes.length) && isPadded && bytes.toString("base64url") === body) return digest;
  const name = algorithm ?? "SHA-256 or SHA-512";
  throw new RowProblem(member, `must be a digest of ${name}: ${lengths.join(" or ")} bytes in hexadecimal or base64`);
}
