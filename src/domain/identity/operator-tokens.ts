import { hash, timingSafeEqual } from "node:crypto";

/** Compares a token with the operator's. Returns the position of the one that it equals, from 1; undefined: none. */
export type MatchOperatorToken = (token: string) => number | undefined;

/**
 * Compares SHA-256 hashes, all of them and each as a whole: the time shows nothing of the operator's tokens, not even their
 * lengths.
 */
export function createOperatorTokens(tokens: readonly string[]): MatchOperatorToken {
  const known = tokens.map(digest);
  return (token) => {
    if (known.length === 0) return undefined;
    const presented = digest(token);
    const position = known.map((one) => timingSafeEqual(one, presented)).indexOf(true);
    return position === -1 ? undefined : position + 1;
  };
}

function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
