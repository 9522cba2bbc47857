import { hash, timingSafeEqual } from "node:crypto";

/** Compares a text with secrets. Returns the position of the one that it equals, from 1; undefined: none. */
export type MatchSecret = (text: string) => number | undefined;

/**
 * Compares SHA-256 hashes, all of them and each as a whole: the time shows nothing of the secrets, not even their lengths.
 */
export function createSecretMatch(secrets: readonly string[]): MatchSecret {
  const known = secrets.map(digest);
  return (text) => {
    if (known.length === 0) return undefined;
    const presented = digest(text);
    const position = known.map((one) => timingSafeEqual(one, presented)).indexOf(true);
    return position === -1 ? undefined : position + 1;
  };
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
