import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AccessTokenSchema } from "../../gen/latchkey/v1/access_token_pb.ts";
import type { AccessTokenRecord } from "../domain/credentials/access-token.ts";
import { toTimestamp } from "./dates.ts";

export function toAccessToken(token: AccessTokenRecord): MessageInitShape<typeof AccessTokenSchema> {
  const { tokenId, keyId, scopes, userId, audience, confirmationJkt, ruleId, createdAt, expiresAt, revokedAt } = token;
  return {
    ...{ tokenId, keyId, audience, scopes: [...scopes] },
    // Absent where they are undefined.
    userId: userId ?? undefined,
    confirmationJkt: confirmationJkt ?? undefined,
    ruleId: ruleId ?? undefined,
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
    revokedAt: revokedAt === null ? undefined : toTimestamp(revokedAt),
  };
}
