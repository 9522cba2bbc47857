import { hashSecret } from "../src/domain/credentials/secret.ts";
import { newId } from "../src/domain/vocabulary/ids.ts";
import { createIssuer } from "../src/store/jwks/issuer/issuer.ts";
import { createAccessTokenStore } from "../src/store/sql/access-tokens/access-token-store.ts";
import { createSigningKeyStore } from "../src/store/sql/access-tokens/signing-keys.ts";
import { openDatabase } from "../src/store/sql/driver/open.ts";
import { createKeyStore } from "../src/store/sql/keys/key-store.ts";

/** Settings with which a server of the product issues tokens, and verifies those of `issueTokens`. */
export const TOKENS_ENV = {
  TOKEN_ISSUER: "https://latchkey.test",
  TOKEN_SECRET: "a-secret-of-the-benchmark-for-signing-keys-01234",
};

/** Longer than any run. */
const LIFE_MS = 86_400_000;

/** A token for each key in a database of the product, with all that keys of the benchmark may. */
export async function issueTokens(url: string, secrets: readonly string[]): Promise<string[]> {
  const database = await openDatabase({ kind: "postgres", url });
  try {
    const [keys, tokens] = [createKeyStore(database), createAccessTokenStore(database)];
    const issuer = createIssuer({
      issuer: TOKENS_ENV.TOKEN_ISSUER,
      store: createSigningKeyStore(database),
      clock: () => new Date(),
      secrets: () => [TOKENS_ENV.TOKEN_SECRET],
      onUndecryptable(message) {
        throw new Error(message);
      },
    });
    await issuer.refresh();
    const issued: string[] = [];
    for (const secret of secrets) {
      const secretHash = hashSecret(secret);
      const key = await keys.findKeyBySecretHash(secretHash);
      if (key === undefined) throw new Error("a key of the benchmark is not stored");
      const { keyId, tenantId, permissions: scopes } = key;
      const now = new Date();
      const token = {
        ...{ tokenId: newId("tok"), tenantId, keyId, secretHash, scopes, userId: null, audience: issuer.issuer },
        ...{ confirmationJkt: null, ruleId: null, expiresAt: new Date(now.getTime() + LIFE_MS) },
      };
      issued.push(await issuer.sign(token, now));
      await tokens.addToken(token, ACT);
    }
    return issued;
  } finally {
    await database.close();
  }
}

const ACT = {
  action: "token.derived",
  actor: { kind: "service", userId: null, issuer: null, keyId: null, operatorToken: null },
  ...{ address: null, requestId: "req_bench", traceId: null },
} as const;

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}
