import { generateKey, signToken, validClaims } from "./provider.ts";

/** A provider's key, and the one that comes after it. */
export const KEY = generateKey("ES256", { kid: "first" });
export const NEXT = generateKey("ES256", { kid: "second" });

export const CLAIMS = validClaims();
export const TOKEN = signToken(KEY);
export const NEXT_TOKEN = signToken(NEXT);

/** A token whose key id is not published. */
export const unknown = (index: number) => signToken(KEY, CLAIMS, { alg: "ES256", kid: `invented-${index}` });
