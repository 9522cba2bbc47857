import type { Principal } from "../access/principal.ts";
import type { Act } from "../audit/event.ts";
import type { AccessTokenRecord } from "../credentials/access-token.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import { requireConfigured } from "./configured.ts";
import { ownTokens, tokenNotFound } from "./own-tokens.ts";

export interface RevokeTokenContext {
  /** Undefined: the service issues no tokens. */
  readonly issuer: object | undefined;
  readonly accessTokens: Pick<AccessTokenStore, "revokeToken">;
}

/** Revokes a token of the caller, and resolves once no replica accepts it. Throws if the caller has no such token. */
export async function revokeToken(
  { issuer, accessTokens }: RevokeTokenContext,
  caller: Principal,
  tokenId: string,
  act: Act,
): Promise<AccessTokenRecord> {
  requireConfigured(issuer);
  const own = ownTokens(caller);
  if (own.tokenId !== null && own.tokenId !== tokenId) throw tokenNotFound();
  const revoked = await accessTokens.revokeToken(own.of, tokenId, act);
  if (revoked === undefined) throw tokenNotFound();
  return revoked;
}
