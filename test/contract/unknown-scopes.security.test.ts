import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { OIDC } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { storedPublishableKey, storedSecretKey } from "../harness/stored-key.ts";

const VERIFY = "/api/v1/auth/verify";
const UNKNOWN = { names: ["reports:read", "reports:*"] };
const PROVIDER = { ...OIDC, userIdClaim: "sub", requiredClaims: {} };

/** Keys as they were stored when the catalogue had more scopes. */
const mixed = storedSecretKey({ permissions: ["plans:read", "reports:read", "reports:*"] });
const alone = storedSecretKey({ permissions: ["reports:read"] });
const known = storedSecretKey({ permissions: ["plans:read"] });
const publishable = storedPublishableKey({ permissions: ["plans:read", "reports:read"], oidc: PROVIDER });
const disabled = storedSecretKey({ permissions: ["reports:read"], disabledAt: new Date() });

let latchkey: Latchkey;

/** The catalogue is without the scopes that some of the keys hold. */
beforeAll(async () => {
  const storedKeys = [mixed, alone, known, publishable, disabled].map(({ stored }) => stored);
  latchkey = await startLatchkey({ storedKeys });
});

afterAll(() => latchkey.close());

const manage = async (method: string, { tenant, keyId }: typeof mixed, body: object = {}) =>
  latchkey.call(`/api/v1/api-keys/${method}`, { key_id: keyId, ...body }, await latchkey.dashboard(tenant));

describe("a scope that was taken out of the catalogue", () => {
  test("grants nothing, and is not among the permissions that verify returns", async () => {
    const { json } = await latchkey.call(VERIFY, {}, { "x-api-key": mixed.secret });
    expect(json.permissions).toEqual(["plans:read"]);
    expect((await latchkey.call(VERIFY, {}, { "x-api-key": alone.secret })).json.permissions).toEqual([]);
    const check = await fetch(`${latchkey.url}/auth/check`, { headers: { "x-api-key": mixed.secret } });
    expect(check.headers.get("x-auth-permissions")).toBe("plans:read");
  });

  test("cannot be asked for", async () => {
    const { status, json } = await latchkey.call(VERIFY, { scope: "reports:read" }, { "x-api-key": mixed.secret });
    expect([status, json.code]).toEqual([400, "invalid_argument"]);
    expect(json.message).toContain("is not a known scope");
  });

  test("is shown with the key, and marked", async () => {
    expect((await manage("get", mixed)).json.result).toMatchObject({
      permissions: ["plans:read", "reports:read", "reports:*"],
      unknown_permissions: UNKNOWN,
    });
    const { keys } = (await manage("list", mixed, { key_id: undefined })).json;
    expect(keys[0].unknown_permissions).toEqual(UNKNOWN);
    expect((await manage("get", publishable)).json.result.unknown_permissions).toEqual({ names: ["reports:read"] });
    const found = await operatorOf(latchkey).answer("keys/find", { key_id: mixed.keyId });
    expect(found.keys[0].unknown_permissions).toEqual(UNKNOWN);
  });

  test("is kept when the key's name changes, and cannot be added again", async () => {
    const renamed = await manage("update", mixed, { name: "after", update_mask: "name" });
    expect(renamed.json.result.permissions).toEqual(["plans:read", "reports:read", "reports:*"]);
    const added = await manage("update", known, { permissions: ["reports:read"], update_mask: "permissions" });
    expect(added.status).toBe(400);
  });

  test("does not keep its key from being rotated, enabled or revoked by an admin", async () => {
    const successor = await manage("rotate", alone);
    expect(successor.status, successor.text).toBe(200);
    const verified = await latchkey.call(VERIFY, {}, { "x-api-key": successor.json.result.key });
    expect(verified.json.permissions).toEqual([]);
    expect((await manage("enable", disabled)).status).toBe(200);
    expect((await manage("revoke", disabled)).status).toBe(200);
  });
});

test("a key whose scopes are all known has no unknown_permissions", async () => {
  expect((await manage("get", known)).json.result).not.toHaveProperty("unknown_permissions");
});

test("a scope that is in the catalogue again grants again, and a wildcard reaches it", async () => {
  const tenant = newTenant();
  const [one, whole] = [
    storedSecretKey({ permissions: ["reports:read"], tenantId: tenant }),
    storedSecretKey({ permissions: ["reports:*"], tenantId: tenant }),
  ];
  const access = accessRules({ scopes: [{ name: "reports:read", description: "Read reports.", publishable: false }] });
  const own = await startLatchkey({ config: { access }, storedKeys: [one.stored, whole.stored] });
  for (const { secret, keyId } of [one, whole]) {
    const { status } = await own.call(VERIFY, { scope: "reports:read" }, { "x-api-key": secret });
    expect(status).toBe(200);
    const { json } = await own.call("/api/v1/api-keys/get", { key_id: keyId }, await own.dashboard(tenant));
    expect(json.result).not.toHaveProperty("unknown_permissions");
  }
  await own.close();
});
