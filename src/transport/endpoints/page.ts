import { createHash } from "node:crypto";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";

/** A page whose bytes do not change while the process runs. */
export interface Page {
  readonly body: Uint8Array;
  readonly headers: PageHeaders;
}

/** Headers of a page, with lower-case names. */
type PageHeaders = Readonly<Record<string, string>>;

/** Browsers keep it, and ask each time whether it is still the same, unless `headers` name another `Cache-Control`. */
export function page(type: string, content: string | Uint8Array, headers: PageHeaders = {}): Page {
  const body = Buffer.from(content);
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return { body, headers: { "content-type": type, "cache-control": "no-cache", etag, ...headers } };
}

/** The page, or 304 if the client has it. */
export function pageAnswer({ body, headers }: Page, ifNoneMatch: string | undefined): PlainAnswer {
  const answer = { code: "ok", headers: new PlainHeaders(headers) } as const;
  return isNamed(headers.etag, ifNoneMatch) ? { ...answer, status: 304, body: "" } : { ...answer, status: 200, body };
}

function isNamed(etag: string | undefined, ifNoneMatch = ""): boolean {
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || (etag !== undefined && tags.includes(etag));
}
