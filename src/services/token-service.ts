import type { TokenService } from "../../gen/latchkey/v1/token_service_pb.ts";
import { deriveTokenIdempotently } from "../domain/access-tokens/derive.ts";
import { type ListTokensContext, listTokens } from "../domain/access-tokens/list.ts";
import { type RevokeTokenContext, revokeToken } from "../domain/access-tokens/revoke.ts";
import { principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { toAccessToken } from "./access-token-converter.ts";
import { actOf, setLogTarget } from "./callers.ts";
import { toTimestamp } from "./dates.ts";

type TokensContext = Parameters<typeof deriveTokenIdempotently>[0] & ListTokensContext & RevokeTokenContext;

export function createTokenService(ctx: TokensContext): UnaryImpl<typeof TokenService> {
  return {
    async deriveToken(req, context) {
      const caller = principalOf(context.values);
      const { token, ...issued } = await deriveTokenIdempotently(ctx, caller, req, req.clientRequestId, actOf(context));
      setLogTarget(context, issued.tokenId);
      const handed = token === null ? { alreadyCreated: true } : { token };
      return { result: { ...issued, ...handed, expiresAt: toTimestamp(issued.expiresAt) } };
    },
    async listTokens(req, context) {
      const { tokens, nextPageToken } = await listTokens(ctx, principalOf(context.values), req);
      return { tokens: tokens.map(toAccessToken), nextPageToken };
    },
    async revokeToken({ tokenId }, context) {
      const revoked = await revokeToken(ctx, principalOf(context.values), tokenId, actOf(context));
      setLogTarget(context, tokenId);
      return { result: toAccessToken(revoked) };
    },
  };
}
