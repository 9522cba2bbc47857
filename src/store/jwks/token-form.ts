import { Denial } from "../../domain/denial.ts";
import type { Claims } from "../../domain/identity/claims.ts";

/** Longest token that is looked at. */
const TOKEN_CHARS_MAX = 16_384;
const COMPACT_JWS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/** A token taken apart, nothing of it believed yet. */
export interface UnverifiedToken {
  readonly alg: unknown;
  readonly kid: unknown;
  readonly claims: Claims;
}

/** Takes a compact JWS apart. Every fault of its form is `jwt_malformed`. */
export function parseToken(token: string): UnverifiedToken {
  const parts = token.length <= TOKEN_CHARS_MAX ? COMPACT_JWS.exec(token) : null;
  const header = parseObject(parts?.[1]);
  const claims = parseObject(parts?.[2]);
  if (header === undefined || claims === undefined) throw new Denial("jwt_malformed");
  // We understand no extension, so a token that makes one critical must be refused (RFC 7515, 4.1.11).
  for (const extension of ["crit", "b64", "zip"]) {
    if (Object.hasOwn(header, extension)) {
      throw new Denial("jwt_malformed", { message: `The user token's header member ${extension} is not supported.` });
    }
  }
  return { alg: header.alg, kid: header.kid, claims };
}

/** A base64url text of strict UTF-8, without a byte order mark, of a JSON object. */
function parseObject(part: string | undefined): Record<string, unknown> | undefined {
  if (part === undefined) return undefined;
  const bytes = Buffer.from(part, "base64url");
  // Two texts must not decode to the same bytes: the unused bits of the last character are zero.
  if (bytes.toString("base64url") !== part) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
