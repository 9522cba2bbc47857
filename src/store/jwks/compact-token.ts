import { LRUCache } from "lru-cache";
import type { TokenKind } from "../../domain/tokens/claims.ts";
import { notCompact, signatureNotBase64url, undecodablePart } from "../../domain/tokens/refused-token.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { userTokenKind } from "./token-kind.ts";

/** A JWT as presented: parsed, but not verified. */
export interface CompactToken extends Header {
  /** The whole token. */
  readonly text: string;
  /** In base64url, not decoded or checked. */
  readonly payload64: string;
  /** Length of the signature. */
  readonly signatureBytes: number;
}

interface Header {
  readonly alg: string;
  /** Undefined: the header has none. */
  readonly kid: string | undefined;
  readonly kind: TokenKind;
}

/** Longest token, in characters. A header line can hardly hold more. */
const TOKEN_CHARS_MAX = 16_384;

const THREE_PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/;

/**
 * Parses a token: three base64url parts without padding or whitespace, and a header without extensions. `jku`, `jwk`,
 * `x5u` and `x5c` are ignored: keys come from the configured key set only. The payload is not parsed before the signature
 * is verified. Throws `Denial`.
 */
export function parseCompactToken(text: string): CompactToken {
  if (text.length > TOKEN_CHARS_MAX) {
    throw malformed(
      `The user token is longer than ${TOKEN_CHARS_MAX} characters; have its issuer put fewer claims into it.`,
    );
  }
  const [, header64, payload64, signature64] = THREE_PARTS.exec(text) ?? [];
  if (header64 === undefined || payload64 === undefined || signature64 === undefined) throw notCompact(text);
  // No bytes encode to such a text. jose would report a bad signature instead.
  if (payload64.length % 4 === 1) throw undecodablePart("payload");
  const { alg, kid, kind } = parseHeader(header64);
  const signature = Buffer.from(signature64, "base64url");
  // With spare bits at the end, one signature would have several texts.
  if (!isCanonical(signature64, signature)) throw signatureNotBase64url();
  return { alg, kid, kind, text, payload64, signatureBytes: signature.length };
}

/** Cache of parsed headers by their text: all tokens of a key have the same header. At most 0.5 MB. */
const HEADERS_MAX = 1_000;
const HEADER_CACHED_CHARS_MAX = 512;
const headers = new LRUCache<string, Header>({ max: HEADERS_MAX });

function parseHeader(header64: string): Header {
  const known = headers.get(header64);
  if (known !== undefined) return known;
  const header = readHeader(header64);
  if (header64.length <= HEADER_CACHED_CHARS_MAX) {
    // A copy: V8 keeps a substring as a view of the whole string, so the token with its signature would stay in memory.
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
    throw malformed("The user token's header has a kid that is not a string; issue it with one that is.");
  return { alg, kid, kind: userTokenKind(header.typ) };
}

/** The text of a verified token's payload. Undefined: it is not UTF-8. Spare bits are harmless, since they are signed. */
export function payloadText({ payload64 }: CompactToken): string | undefined {
  return decodeUtf8(Buffer.from(payload64, "base64url"));
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined: it is not UTF-8. A byte order mark is kept, so that parsing as JSON fails. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined: it is not a JSON object. Of duplicate members the last one counts. */
export function parseJsonObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseForeignJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a base64url text is the canonical encoding of the bytes that were decoded from it. */
function isCanonical(base64url: string, bytes: Buffer): boolean {
  return bytes.toString("base64url") === base64url;
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
