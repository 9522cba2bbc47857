import { METHODS } from "../../transport/http/node-http.ts";

/** The parts of an unknown request that may be logged. People paste anything into a URL, including keys and tokens. */

const KNOWN_METHODS = new Set(METHODS);

/** The beginning of an unknown path, without long segments, which could be keys or tokens. */
export function loggablePath(url: string): string {
  const [path = ""] = url.split("?", 1);
  // Replaced before the path is cut, because a cut key would be too short to be recognized.
  return path.replace(/[^/]{20,}/g, "...").slice(0, 128);
}

/** Over HTTP/2 a method can be any word. */
export function isKnownMethod(method: string): boolean {
  return KNOWN_METHODS.has(method);
}
