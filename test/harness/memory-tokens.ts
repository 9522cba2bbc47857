import type { AccessTokens } from "../../src/domain/access-tokens/access-token-store.ts";
import type { SigningKey } from "../../src/domain/access-tokens/signing-key.ts";
import type { AccessTokenRecord, NewAccessToken } from "../../src/domain/credentials/access-token.ts";
import { createIssuer } from "../../src/store/jwks/issuer/issuer.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "./token-settings.ts";

/** Tokens of the service's own in memory, with the issuer that the service has, for tests of the gate. */
export async function startMemoryTokens(clock: () => Date) {
  const records = new Map<string, AccessTokenRecord>();
  const rulesOff = new Set<string>();
  const keys: SigningKey[] = [];
  const issuer = createIssuer({
    issuer: TOKEN_ISSUER,
    clock,
    secrets: () => [TOKEN_SECRET],
    onUndecryptable(message) {
      throw new Error(message);
    },
    // The one key stays active.
    store: {
      readKeys: async () => keys,
      addKey: async (key) => void keys.push(key),
      promote: async () => {},
      reseal: async () => {},
      removeEnded: async () => {},
    },
  });
  await issuer.refresh();

  const tokens: AccessTokens = {
    find(tokenId) {
      const token = records.get(tokenId);
      return token && { token, isRuleOff: token.ruleId !== null && rulesOff.has(token.ruleId) };
    },
  };

  return {
    ...tokens,
    issuer,
    /** Returns the token as it is sent, and its id. */
    async issue(token: NewAccessToken) {
      records.set(token.tokenId, { ...token, createdAt: clock(), revokedAt: null });
      return { text: await issuer.sign(token, clock()), tokenId: token.tokenId };
    },
    /** Null: removes its record. */
    change(tokenId: string, fields: Partial<AccessTokenRecord> | null): void {
      const current = records.get(tokenId);
      if (current === undefined || fields === null) records.delete(tokenId);
      else records.set(tokenId, { ...current, ...fields });
    },
    setRuleOff(ruleId: string, isOff: boolean): void {
      if (isOff) rulesOff.add(ruleId);
      else rulesOff.delete(ruleId);
    },
  };
}
