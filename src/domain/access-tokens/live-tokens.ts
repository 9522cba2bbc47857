import { RequestFault } from "../vocabulary/request-fault.ts";

/**
 * Maximum number of tokens that have not expired: of those that a key derived, and of those by one federation rule. Revoked ones
 * count until they would have expired: otherwise a caller who revokes each token at once could fill the table.
 */
export const LIVE_TOKENS_MAX = 1_000;

/** Where a token comes from: `ruleId` null: its key derived it. */
export interface TokenSource {
  readonly tenantId: string;
  readonly keyId: string;
  readonly ruleId: string | null;
}

export function tooManyTokens({ ruleId }: Pick<TokenSource, "ruleId">): RequestFault {
  const [source, remedy] =
    ruleId === null
      ? ["This API key has derived", "use each for several calls, or give it a shorter ttl_seconds"]
      : ["The rule has given", "use each for several calls, or give the rule a shorter ttl_seconds"];
  return new RequestFault(
    "too_many_tokens",
    `${source} ${LIVE_TOKENS_MAX} tokens that have not expired, the most at a time; wait until one expires, ${remedy}.`,
  );
}
