import { Denial } from "../../domain/denial.ts";

/** A JWT as presented: taken apart, but not one word of it believed. */
export interface CompactToken {
  readonly text: string;
  readonly alg: string;
  /** Undefined where the header has none. */
  readonly kid: string | undefined;
}

/** Longest token, in characters. A header line has hardly more room. */
const TOKEN_CHARS_MAX = 16_384;

const THREE_PARTS = /^([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*\.([A-Za-z0-9_-]*)$/;

/**
 * Judges the form of a token: three base64url parts without padding or whitespace, and a header that we understand in
 * full. `jku`, `jwk`, `x5u` and `x5c` are not read: keys come from the configured key set only. The payload is not looked
 * at before its signature is verified.
 */
export function parseCompactToken(text: string): CompactToken {
  if (text.length > TOKEN_CHARS_MAX) throw malformed(`The user token is longer than ${TOKEN_CHARS_MAX} characters.`);
  const [, header64, signature64] = THREE_PARTS.exec(text) ?? [];
  if (header64 === undefined || signature64 === undefined) throw malformed();
  const header = parseJsonObject(Buffer.from(header64, "base64url"));
  if (header === undefined || !isCanonical(header64)) throw malformed();
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip") || (header.b64 ?? true) !== true) {
    throw malformed(
      "The user token's header demands an extension that is not supported (crit, b64 or zip); issue it without.",
    );
  }
  const { alg, kid } = header;
  if (typeof alg !== "string") throw malformed("The user token's header lacks alg as a string; issue it with one.");
  if (kid !== undefined && typeof kid !== "string")
    throw malformed("The user token's header has a kid that is no text; issue it with one that is.");
  // Spare bits at the end would make several texts of one signature.
  if (!isCanonical(signature64)) throw new Denial("jwt_invalid_signature");
  return { text, alg, kid };
}

/** A JSON object in strict UTF-8 without a byte order mark, or undefined. Of duplicate members the last one counts. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCanonical(base64url: string): boolean {
  return Buffer.from(base64url, "base64url").toString("base64url") === base64url;
}

function malformed(message?: string): Denial {
  return new Denial("jwt_malformed", message === undefined ? {} : { message });
}
