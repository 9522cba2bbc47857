import { METHODS } from "../../transport/http/node-http.ts";

/** What of a request that is none of ours may be written down: people paste anything, keys and tokens, too. */

const KNOWN_METHODS = new Set(METHODS);

/** The beginning of a path that is none of ours, without what could be a key or a token. */
export function loggablePath(url: string): string {
  const [path = ""] = url.split("?", 1);
  // Before it is cut, or a part of one would be too short to be recognized.
  return path.replace(/[^/]{20,}/g, "...").slice(0, 128);
}

/** Over HTTP/2 a method is any word, too. */
export function isKnownMethod(method: string): boolean {
  return KNOWN_METHODS.has(method);
}
