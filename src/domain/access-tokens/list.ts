import type { Principal } from "../access/principal.ts";
import type { AccessTokenRecord } from "../credentials/access-token.ts";
import { refuseKeyAsId } from "../keys/read.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { pageRequest } from "../vocabulary/page.ts";
import { cursorIn, tokenOf } from "../vocabulary/time-cursor.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import { requireConfigured } from "./configured.ts";
import { ownTokens } from "./own-tokens.ts";

export interface ListTokensContext {
  /** Undefined: the service issues no tokens. */
  readonly issuer: object | undefined;
  readonly accessTokens: Pick<AccessTokenStore, "listTokens" | "findToken">;
  readonly keyClock: KeyClock;
}

/** Which tokens, and which page of them. Empty texts and 0 stand for the defaults. */
export interface ListTokensQuery {
  readonly keyId: string;
  readonly pageToken: string;
  readonly perPage: number;
}

export interface ListedTokens {
  readonly tokens: readonly AccessTokenRecord[];
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

const NONE: ListedTokens = { tokens: [], nextPageToken: "" };

/** Lists the tokens of the caller that have not expired, or those of them that stand for one key. */
export async function listTokens(
  { issuer, accessTokens, keyClock }: ListTokensContext,
  caller: Principal,
  { keyId, pageToken, perPage }: ListTokensQuery,
): Promise<ListedTokens> {
  requireConfigured(issuer);
  refuseKeyAsId(keyId);
  const after = pageToken === "" ? undefined : cursorIn(pageToken);
  const { of, tokenId } = ownTokens(caller);
  if (keyId !== "" && of.keyId !== null && keyId !== of.keyId) return NONE;
  if (tokenId !== null) {
    const itself = after === undefined ? await accessTokens.findToken(tokenId) : undefined;
    return itself === undefined || itself.expiresAt <= keyClock() ? NONE : { ...NONE, tokens: [itself] };
  }
  const listed = { ...of, keyId: keyId === "" ? of.keyId : keyId };
  const { tokens, next } = await accessTokens.listTokens(listed, { after, perPage: pageRequest(1, perPage).perPage });
  return { tokens, nextPageToken: tokenOf(next) };
}
