import type { Act } from "../audit/event.ts";
import type { NewAccessToken } from "../credentials/access-token.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { newId } from "../vocabulary/ids.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import type { AccessTokenIssuer } from "./issuer.ts";

export interface IssueContext {
  readonly accessTokens: Pick<AccessTokenStore, "addToken">;
  readonly issuer: Pick<AccessTokenIssuer, "sign">;
  readonly keyClock: KeyClock;
}

export interface IssuedToken {
  /** The JWT. */
  readonly token: string;
  readonly tokenId: string;
  readonly expiresAt: Date;
}

/** The content of a new token. */
export type TokenGrant = Omit<NewAccessToken, "tokenId" | "expiresAt"> & {
  readonly ttlSeconds: number;
  /** When its key expires: the token does, too, at the latest. Null or undefined: it does not expire. */
  readonly keyExpiresAt?: Date | null;
};

/** Issues a token. Whether its caller may have it is decided before. */
export async function issueToken(
  { accessTokens, issuer, keyClock }: IssueContext,
  { ttlSeconds, keyExpiresAt, ...grant }: TokenGrant,
  act: Act,
  call?: IdempotentCall,
): Promise<IssuedToken> {
  const issuedAt = wholeSecond(keyClock().getTime());
  const endMs = Math.min(issuedAt.getTime() + ttlSeconds * 1_000, keyExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const token = { ...grant, tokenId: newId("tok"), expiresAt: wholeSecond(endMs) };
  const text = await issuer.sign(token, issuedAt);
  await accessTokens.addToken(token, act, call);
  return { token: text, tokenId: token.tokenId, expiresAt: token.expiresAt };
}

/** A JWT has its times in seconds: with fractions, it would end before its record does. */
function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
