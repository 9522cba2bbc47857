// promise: keys.brand
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { type CreatedKey, type Latchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const ACME = /^([sp])k_acme_[0-9A-Za-z]{36}$/;

/** Before the operator has set `KEY_BRAND`, after it, and after a change of it, on one storage. */
let cleanUp: () => Promise<void>;
let latchkey: Latchkey;
let tenant: string;
let unbranded: CreatedKey;
let earlier: CreatedKey;

beforeAll(async () => {
  const made = await testStorage();
  const { storage } = made;
  const before = await startLatchkey({ config: { storage } });
  const dashboard = dashboardOf(before);
  tenant = dashboard.tenant;
  unbranded = await dashboard.createKey();
  await before.close();
  const other = await startLatchkey({ config: { storage, keyBrand: "previousname" } });
  earlier = await dashboardOf(other).createKey();
  await other.close();
  cleanUp = made.cleanUp;
  latchkey = await startLatchkey({ config: { storage, keyBrand: "acme" } });
});
afterAll(async () => {
  await latchkey.close();
  await cleanUp();
});

describe("with KEY_BRAND", () => {
  test("new keys of both types have the brand behind the prefix of their type", async () => {
    const dashboard = dashboardOf(latchkey);
    const secret = await dashboard.createKey();
    const publishable = await dashboard.createKey({ ...PUBLISHABLE, permissions: ["plans:read"] });
    expect(ACME.exec(secret.key)?.[1]).toBe("s");
    expect(ACME.exec(publishable.key)?.[1]).toBe("p");
    expect(await useKey(latchkey, secret.key)).toBe("admitted");
    expect(await useKey(latchkey, publishable.key)).toBe("publishable_key_requires_jwt");
    const { result } = await operatorOf(latchkey).answer("keys/create", {
      tenant_id: dashboard.tenant,
      name: "of the operator",
      permissions: ["plans:read"],
    });
    expect(result.key).toMatch(ACME);
  });

  test("a successor has the brand, also that of a key without one", async () => {
    const dashboard = dashboardOf(latchkey, tenant);
    const { key_id } = await dashboard.createKey();
    for (const old of [key_id, unbranded.key_id])
      expect((await dashboard.result("rotate", { key_id: old })).key).toMatch(ACME);
  });

  test("keys without a brand, and those of another one, keep working", async () => {
    expect(unbranded.key).toMatch(/^sk_[0-9A-Za-z]{36}$/);
    expect(earlier.key).toMatch(/^sk_previousname_/);
    for (const { key } of [unbranded, earlier]) expect(await useKey(latchkey, key)).toBe("admitted");
  });

  test("key_prefix has 12 characters, which tell keys apart and leave the brand out", async () => {
    const dashboard = dashboardOf(latchkey);
    const keys = await Promise.all(Array.from({ length: 20 }, () => dashboard.createKey()));
    for (const { key, key_prefix, key_id } of keys) {
      expect(key_prefix).toBe(`sk_${key.slice(8, 17)}`);
      expect((await dashboard.result("get", { key_id })).key_prefix).toBe(key_prefix);
    }
    expect(new Set(keys.map(({ key_prefix }) => key_prefix)).size).toBe(20);
  });

  test("the operator finds a key by its prefix, with the brand and without, and by the whole key", async () => {
    const { key, key_id, key_prefix } = await dashboardOf(latchkey).createKey();
    const found = async (search: object) => {
      const { keys } = await operatorOf(latchkey).answer("keys/find", search);
      return keys.map((each: { key_id: string }) => each.key_id);
    };
    for (const search of [{ key_prefix }, { key_prefix: key.slice(0, 17) }, { key_prefix: key.slice(0, 15) }, { key }])
      expect(await found(search)).toEqual([key_id]);
  });
});

test("no part of a branded key that is more than its key_prefix is in a log line or a message", async () => {
  const line = latchkey.logLines.length;
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const texts = [
    await dashboard.call("get", { key_id: key }),
    await dashboard.call("get", { [key]: key }),
    await dashboard.call("update", { key_id, update_mask: key }),
    await dashboard.call("create", { name: key, permissions: [key] }),
    await latchkey.call(`/nowhere/${key}?key=${key}`, {}, { "x-request-id": key }),
    await latchkey.call("/api/v1/api-keys/list", {}, { authorization: `Bearer ${key}` }),
    await latchkey.call("/api/v1/api-keys/list", {}, { "x-api-key": `${key.slice(0, -1)}!` }),
  ].map(({ text, headers }) => text + JSON.stringify([...headers]));
  for (const text of [...texts, latchkey.logLines.slice(line).join("")]) expect(text).not.toContain(key.slice(8, 18));
});
