import { LRUCache } from "lru-cache";
import { Denial } from "../../domain/denial.ts";
import { notCompact, signatureNotBase64url, undecodablePart } from "../../domain/identity/refused-token.ts";
import { isJsonObject } from "../../domain/json-object.ts";
import { requireUserType } from "./token-kind.ts";

/** A JWT as presented: taken apart, but not one word of it believed. */
export interface CompactToken extends Header {
  /** The whole token. */
  readonly text: string;
  /** In base64url; what it holds is not checked yet. */
  readonly payload64: string;
  /** Length of the signature. */
  readonly signatureBytes: number;
}

interface Header {
  readonly alg: string;
  /** Undefined where the header has none. */
  readonly kid: string | undefined;
}

/** Longest token, in characters. A header line has hardly more room. */
const TOKEN_CHARS_MAX = 16_384;

const THREE_PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/;

/**
 * Judges the form of a token: three base64url parts without padding or whitespace, and a header that we understand in
 * full. `jku`, `jwk`, `x5u` and `x5c` are not read: keys come from the configured key set only. The payload is not looked
 * at before its signature is verified.
 */
export function parseCompactToken(text: string): CompactToken {
  if (text.length > TOKEN_CHARS_MAX) {
    throw malformed(
      `The user token is longer than ${TOKEN_CHARS_MAX} characters; have its issuer put fewer claims into it.`,
    );
  }
  const [, header64, payload64, signature64] = THREE_PARTS.exec(text) ?? [];
  if (header64 === undefined || payload64 === undefined || signature64 === undefined) throw notCompact(text);
  // No bytes are written as such a text, and jose would call it a bad signature.
  if (payload64.length % 4 === 1) throw undecodablePart("payload");
  const { alg, kid } = parseHeader(header64);
  const signature = Buffer.from(signature64, "base64url");
  // Spare bits at the end would make several texts of one signature.
  if (!isCanonical(signature64, signature)) throw signatureNotBase64url();
  return { alg, kid, text, payload64, signatureBytes: signature.length };
}

/** Headers read before, by their text: all tokens of a key have the same. At most 0.5 MB. */
const HEADERS_MAX = 1_000;
const HEADER_REMEMBERED_CHARS_MAX = 512;
const headers = new LRUCache<string, Header>({ max: HEADERS_MAX });

function parseHeader(header64: string): Header {
  const known = headers.get(header64);
  if (known !== undefined) return known;
  const header = readHeader(header64);
  if (header64.length <= HEADER_REMEMBERED_CHARS_MAX) {
    // A copy: the engine keeps a part of a text as a view of the whole, and so the token with its signature would stay.
    headers.set(Buffer.from(header64, "latin1").toString("latin1"), header);
  }
  return header;
}

function readHeader(header64: string): Header {
  const bytes = Buffer.from(header64, "base64url");
  const header = parseJsonObject(decodeUtf8(bytes));
  if (header === undefined || !isCanonical(header64, bytes)) throw undecodablePart("header");
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip") || (header.b64 ?? true) !== true) {
    throw malformed(
      "The user token's header demands an extension that is not supported (crit, b64 or zip); issue it without.",
    );
  }
  const { alg, kid } = header;
  if (typeof alg !== "string") throw malformed("The user token's header lacks alg as a string; issue it with one.");
  if (kid !== undefined && typeof kid !== "string")
    throw malformed("The user token's header has a kid that is no text; issue it with one that is.");
  requireUserType(header.typ);
  return { alg, kid };
}

/** The text of a verified token's payload; undefined: it is no UTF-8. Spare bits at its end are signed like the rest. */
export function payloadText({ payload64 }: CompactToken): string | undefined {
  return decodeUtf8(Buffer.from(payload64, "base64url"));
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined: it is no UTF-8. A byte order mark is kept, which JSON does not allow. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined: it is no JSON object. Of duplicate members the last one counts. */
export function parseJsonObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a base64url text is what these bytes, which were read from it, are written as. */
function isCanonical(base64url: string, bytes: Buffer): boolean {
  return bytes.toString("base64url") === base64url;
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
