import { describe, expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryKeys, keyValues, later, NOW, newKey } from "../../../test/harness/memory-keys.ts";
import { createCatalogue } from "../access/catalogue.ts";
import type { Grant } from "../access/grant.ts";
import { hashSecret, secretForm, secretPrefix } from "../credentials/secret.ts";
import { Denial } from "../vocabulary/denial.ts";
import { type CreateKeyCommand, createKey } from "./create.ts";

const DEFAULT = { requestsPerMinute: 60, requestsPerHour: 1_000, burstSize: 10 };
const COMMAND: CreateKeyCommand = {
  ...keyValues({ description: "of a backend", permissions: ["users:read", "users:read", "plans:*"] }),
  tenantId: "ten_1",
  type: "secret",
  publishableConfig: null,
};
const OIDC = {
  issuer: "https://idp.example",
  jwksUrl: "https://idp.example/jwks.json",
  audience: "app",
  userIdClaim: "",
  requiredClaims: {},
};

function start() {
  const keys = createMemoryKeys();
  const catalogue = createCatalogue();
  const granted: string[] = [];
  const grant: Grant = (tenantId, permissions) => void granted.push(`${tenantId} ${permissions}`);
  const providers = { fetchDocument: async () => ({ problem: "nothing is fetched here" }) };
  const hosts = { providers, jwksAllowedHosts: ["127.0.0.1:80"], isOwnIssuer: () => false };
  const ctx = {
    keys,
    keyClock: () => NOW,
    rateLimitDefault: DEFAULT,
    keyBrand: null,
    tenantKeysMax: 10_000,
    catalogue,
    ...hosts,
  };
  return {
    keys,
    granted,
    create: (changes: Partial<CreateKeyCommand> = {}, by = grant) =>
      createKey(ctx, { ...COMMAND, ...changes }, by, ACT),
    stored: () => keys.listKeys("ten_1", { status: null, now: NOW }, { page: 1, perPage: 10 }),
  };
}

describe("a new key", () => {
  test("is stored only if its creator may give it its permissions", async () => {
    const { create, granted, stored } = start();
    await create({ permissions: ["plans:read", "users:read", "plans:read"] });
    expect(granted).toEqual(["ten_1 plans:read,users:read"]);
    const refuse: Grant = () => {
      throw new Denial("insufficient_scope");
    };
    await expect(create({}, refuse)).rejects.toThrow(Denial);
    expect((await stored()).total).toBe(1);
  });

  test("is stored as it was described, active and never changed, and found by its secret's hash", async () => {
    const { keys, create } = start();
    const { keyId, secret } = await create();
    expect(keyId).toMatch(/^key_[0-9a-f]{32}$/);
    expect(secret).toMatch(/^sk_/);
    expect(secretForm(secret)).toBe("well_formed");
    expect(await keys.findKeyBySecretHash(hashSecret(secret))).toEqual(
      newKey({
        ...{ keyId, tenantId: "ten_1", secretPrefix: secretPrefix(secret), description: "of a backend" },
        ...{ permissions: ["users:read", "plans:*"], rateLimit: DEFAULT, allowBrowser: false },
      }).record,
    );
  });

  test("holds its secret nowhere in its record", async () => {
    const { create, stored } = start();
    const { secret } = await create();
    expect(JSON.stringify(await stored())).not.toContain(secret.slice(0, 13));
  });

  test("has the limit and the expiry that its creator names", async () => {
    const { create, stored } = start();
    const rateLimit = { requestsPerMinute: 1, requestsPerHour: 2, burstSize: 3 };
    await create({ rateLimit, expiresAt: later(1) });
    expect((await stored()).items).toMatchObject([{ rateLimit, expiresAt: later(1) }]);
  });

  test("that is publishable has a prefix of its own, and OIDC with the default claim of the user id", async () => {
    const { create, stored } = start();
    const { secret } = await create({ type: "publishable", publishableConfig: { oidc: OIDC } });
    expect(secret).toMatch(/^pk_/);
    expect((await stored()).items).toMatchObject([{ type: "publishable", oidc: { ...OIDC, userIdClaim: "sub" } }]);
  });

  test("that is publishable may lack OIDC, and takes key sets from hosts that the operator allows", async () => {
    const { create, stored } = start();
    await create({ type: "publishable" });
    await create({ type: "publishable", publishableConfig: { oidc: null } });
    const jwksUrl = "http://127.0.0.1/jwks.json";
    await create({ type: "publishable", publishableConfig: { oidc: { ...OIDC, jwksUrl } } });
    expect((await stored()).items.map(({ oidc }) => oidc?.jwksUrl)).toEqual([jwksUrl, undefined, undefined]);
  });

  test.each<[string, Partial<CreateKeyCommand>, string]>([
    [
      "a configuration for publishable keys",
      { publishableConfig: { oidc: null } },
      "publishableConfig: is only for publishable keys: remove it, or set keyType to KEY_TYPE_PUBLISHABLE",
    ],
    ["no name", { name: " " }, "name: is required: 1 to 128 characters, at least one of them visible"],
    ["no scope", { permissions: [] }, "permissions: is required: 1 to 64 scopes"],
    ["an expiry that is not in the future", { expiresAt: NOW }, "expires_at: must be in the future"],
    [
      "a scope that publishable keys cannot have",
      { type: "publishable", permissions: ["billing:read"] },
      'permissions[0]: "billing:read" cannot be held by a publishable key',
    ],
    [
      "a key set in a private network",
      { type: "publishable", publishableConfig: { oidc: { ...OIDC, jwksUrl: "https://127.0.0.1/" } } },
      "publishableConfig.oidc.jwksUrl: must name a public host",
    ],
  ])("with %s is a fault, and nothing is stored", async (_what, changes, problem) => {
    const { create, stored } = start();
    await expect(create(changes)).rejects.toThrow(problem);
    expect((await stored()).total).toBe(0);
  });
});
