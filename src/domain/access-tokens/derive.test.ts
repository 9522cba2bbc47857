import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { ACT } from "../../../test/harness/act.ts";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { createAuthority } from "../access/authority.ts";
import type { SecretKeyCaller } from "../access/principal.ts";
import type { NewAccessToken } from "../credentials/access-token.ts";
import { type DeriveCommand, type DeriveContext, deriveToken } from "./derive.ts";

const NOW = new Date("2026-01-31T12:00:00.789Z");
const { catalogue, ...authority } = createAuthority(accessRules());
const { record: key, secretHash } = newKey({ permissions: ["plans:*", "users:impersonate"] });
const CALLER: SecretKeyCaller = {
  ...{ kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null },
  rights: authority.rightsOfKey(key),
};
const COMMAND: DeriveCommand = { scopes: ["plans:read"], ttlSeconds: 0 };

/** A context whose issuer signs nothing, with the tokens that were added. */
function contextOf() {
  const added: NewAccessToken[] = [];
  const ctx: DeriveContext = {
    catalogue,
    accessTokens: { addToken: async (token) => void added.push(token) },
    issuer: { issuer: "https://latchkey.test", sign: async ({ tokenId }) => `signed ${tokenId}` },
    keyClock: () => NOW,
    keys: { findSecretHash: async () => secretHash },
  };
  return { ctx, added };
}

async function derive(command: Partial<DeriveCommand>, caller: Partial<SecretKeyCaller> = {}): Promise<NewAccessToken> {
  const { ctx, added } = contextOf();
  const issued = await deriveToken(ctx, { ...CALLER, ...caller }, { ...COMMAND, ...command }, ACT);
  const [token] = added;
  if (token === undefined) throw new Error("no token was added");
  expect(issued).toEqual({ token: `signed ${token.tokenId}`, tokenId: token.tokenId, expiresAt: token.expiresAt });
  return token;
}

describe("a derived token", () => {
  test("is stored with the hash by which its key is found, and with what it may", async () => {
    const { tokenId, ...token } = await derive({});
    expect(tokenId).toMatch(/^tok_/);
    expect(token).toEqual({
      ...{ tenantId: key.tenantId, keyId: key.keyId, secretHash, scopes: ["plans:read"], userId: null, ruleId: null },
      ...{ audience: "https://latchkey.test", confirmationJkt: null, expiresAt: new Date("2026-01-31T12:15:00Z") },
    });
  });

  test("ends at a whole second, as its exp does, and with its key at the latest", async () => {
    expect((await derive({ ttlSeconds: 60 })).expiresAt).toEqual(new Date("2026-01-31T12:01:00Z"));
    const ending = { ...key, expiresAt: new Date("2026-01-31T12:00:30.999Z") };
    expect((await derive({ ttlSeconds: 60 }, { key: ending })).expiresAt).toEqual(new Date("2026-01-31T12:00:30Z"));
  });

  test("acts for the user for whom the call is made", async () => {
    expect(await derive({}, { onBehalfOf: "user-1" })).toMatchObject({ userId: "user-1" });
    expect(await derive({ userId: "user-1" })).toMatchObject({ userId: "user-1" });
    await expect(derive({ userId: "user-1" }, { onBehalfOf: "user-2" })).rejects.toMatchObject({ field: "user_id" });
  });
});

test("a key that was erased meanwhile derives none", async () => {
  const { ctx, added } = contextOf();
  const gone = { ...ctx, keys: { findSecretHash: async () => undefined } };
  await expect(deriveToken(gone, CALLER, COMMAND, ACT)).rejects.toMatchObject({ reason: "api_key_not_found" });
  expect(added).toEqual([]);
});
