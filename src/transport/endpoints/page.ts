import { createHash } from "node:crypto";
import type { Answer } from "../answer/envelope.ts";

/** A page whose bytes do not change while the process runs. */
export interface Page {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Browsers keep it, and ask each time whether it is still the same, unless `headers` name another `Cache-Control`. */
export function page(type: string, content: string | Uint8Array, headers: Record<string, string> = {}): Page {
  const body = Buffer.from(content);
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return { body, headers: { "Content-Type": type, "Cache-Control": "no-cache", ETag: etag, ...headers } };
}

/** With 304, Node sends no body but the length of the page, as HTTP requires. */
export function pageAnswer({ body, headers }: Page, ifNoneMatch: string | undefined): Answer {
  const status = isNamed(headers.ETag, ifNoneMatch) ? 304 : 200;
  return { status, code: "ok", headers: new Headers(headers), body, trailers: undefined };
}

function isNamed(etag: string | undefined, ifNoneMatch = ""): boolean {
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || (etag !== undefined && tags.includes(etag));
}
