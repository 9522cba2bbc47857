import type { TokenService } from "../../gen/latchkey/v1/token_service_pb.ts";
import { type DeriveContext, deriveToken } from "../domain/access-tokens/derive.ts";
import { principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { about, actOf } from "./callers.ts";
import { toTimestamp } from "./dates.ts";

export function createTokenService(ctx: DeriveContext): Pick<UnaryImpl<typeof TokenService>, "deriveToken"> {
  return {
    async deriveToken(req, context) {
      const issued = await deriveToken(ctx, principalOf(context.values), req, actOf(context));
      about(context, issued.tokenId);
      return { result: { ...issued, expiresAt: toTimestamp(issued.expiresAt) } };
    },
  };
}
