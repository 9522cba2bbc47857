// promise: keys.shape, keys.type, keys.fields, oidc.missing, limits.unlimited
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, OIDC, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { type CreatedKey, sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

/** The published pattern of keys. */
const KEY = /^[sp]k_[0-9A-Za-z]{36}$/;
const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const latchkey = await sharedLatchkey();

/** The checksum as the documentation gives it: CRC-32 of all before it, in base62, six digits. */
function checksumOf(key: string): string {
  let rest = crc32(key.slice(0, -6));
  let digits = "";
  while (digits.length < 6) {
    digits = BASE_62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Keys of one tenant, a few at once: the last of hundreds would wait too long for a connection to PostgreSQL. */
async function createKeys(count: number): Promise<CreatedKey[]> {
  const dashboard = dashboardOf(latchkey);
  const created: CreatedKey[] = [];
  while (created.length < count)
    created.push(...(await Promise.all(Array.from({ length: 20 }, () => dashboard.createKey()))));
  return created;
}

describe("the created key", () => {
  test.each([undefined, null, "KEY_TYPE_SECRET", "KEY_TYPE_UNSPECIFIED"])(
    "the keyType %j makes a secret key that works at once",
    async (keyType) => {
      const dashboard = dashboardOf(latchkey);
      const { key, key_id } = await dashboard.createKey({ keyType });
      expect(key).toMatch(/^sk_/);
      expect((await dashboard.result("get", { key_id })).keyType).toBe("KEY_TYPE_SECRET");
      expect(await useKey(latchkey, key)).toBe("admitted");
    },
  );

  test("KEY_TYPE_PUBLISHABLE creates a publishable key, which requires its user's token", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(PUBLISHABLE);
    expect(key).toMatch(/^pk_/);
    const record = await dashboard.result("get", { key_id });
    expect(record.keyType).toBe("KEY_TYPE_PUBLISHABLE");
    expect(record.publishableConfig.oidc).toMatchObject(OIDC);
    expect(await useKey(latchkey, key)).toBe("publishable_key_requires_jwt");
  });

  test("the user id claim is sub unless another is named", async () => {
    const dashboard = dashboardOf(latchkey);
    const byDefault = await dashboard.createKey(PUBLISHABLE);
    const named = await dashboard.createKey({
      ...PUBLISHABLE,
      publishableConfig: { oidc: { ...OIDC, userIdClaim: "user.id" } },
    });
    const claim = async (key_id: string) =>
      (await dashboard.result("get", { key_id })).publishableConfig.oidc.userIdClaim;
    expect(await claim(byDefault.key_id)).toBe("sub");
    expect(await claim(named.key_id)).toBe("user.id");
  });

  test("required claims are stored unchanged, with dots and URLs in their names", async () => {
    const dashboard = dashboardOf(latchkey);
    const requiredClaims = { "a.b": "1", "https://x.example/role": "admin", constructor: "c", empty: "" };
    const { key_id } = await dashboard.createKey({
      ...PUBLISHABLE,
      publishableConfig: { oidc: { ...OIDC, requiredClaims } },
    });
    const record = await dashboard.result("get", { key_id });
    expect(record.publishableConfig.oidc.requiredClaims).toEqual(requiredClaims);
  });

  // threat: J26
  test.each([undefined, null, {}, { oidc: null }])(
    "a publishable key with the publishableConfig %j is created with a warning, and each use says it is misconfigured",
    async (publishableConfig) => {
      const dashboard = dashboardOf(latchkey);
      const fields = {
        name: "app",
        permissions: ["conversations:*"],
        keyType: "KEY_TYPE_PUBLISHABLE",
        publishableConfig,
      };
      const { result, warning } = (await dashboard.call("create", fields)).json;
      expect(warning).toMatch(/misconfigured_publishable_key .* publishableConfig\.oidc/);
      const { key, key_id } = result;
      expect(await dashboard.result("get", { key_id })).not.toHaveProperty("publishableConfig");
      const headers = { "x-api-key": key, authorization: `Bearer ${await latchkey.dashboardToken()}` };
      const answer = await latchkey.call("/api/v1/llm/gateway/list-threads", {}, headers);
      expect(answer.status).toBe(500);
      expect(answer.json.denial_reason).toBe("misconfigured_publishable_key");
    },
  );

  test("the record has everything that was sent", async () => {
    const dashboard = dashboardOf(latchkey);
    const fields = {
      name: "Backend, Zürich 😀",
      description: "for the nightly job\nsecond line",
      permissions: ["conversations:read", "plans:*", "users:impersonate"],
      rate_limit: { requests_per_minute: 60, requests_per_hour: 1_000, burst_size: 10 },
      expires_at: instant(latchkey, HOUR),
    };
    const { key_id, key_prefix } = await dashboard.createKey(fields);
    const { expires_at, created_at, updated_at, ...record } = await dashboard.result("get", { key_id });
    expect(record).toEqual({
      key_id,
      key_prefix,
      created_by: expect.objectContaining({ kind: "dashboard_user", user_id: "user-1" }),
      name: fields.name,
      description: fields.description,
      permissions: fields.permissions,
      rate_limit: fields.rate_limit,
      keyType: "KEY_TYPE_SECRET",
      status: "KEY_STATUS_ACTIVE",
      allowed_ips: [],
      allowed_origins: [],
    });
    expect(Date.parse(expires_at)).toBe(Date.parse(fields.expires_at));
    expect(updated_at).toBe(created_at);
  });

  test("omitted members are empty, unlimited and without expiry", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ description: null, rate_limit: null, expires_at: null });
    const record = await dashboard.result("get", { key_id });
    expect(record.description).toBe("");
    expect(record.rate_limit).toEqual({
      requests_per_minute: 0,
      requests_per_hour: 0,
      burst_size: 0,
      unlimited: true,
    });
    expect(record).not.toHaveProperty("expires_at");
  });

  test("created_at is the moment of the call", async () => {
    const dashboard = dashboardOf(latchkey);
    const before = latchkey.clock.now().getTime();
    const { key_id } = await dashboard.createKey();
    const createdAt = Date.parse((await dashboard.result("get", { key_id })).created_at);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(latchkey.clock.now().getTime());
  });

  // threat: R16
  test("the same request twice makes two keys", async () => {
    const dashboard = dashboardOf(latchkey);
    const [first, second] = [await dashboard.createKey(), await dashboard.createKey()];
    expect(first.key_id).not.toBe(second.key_id);
    expect(first.key).not.toBe(second.key);
  });

  test("a key expires at its expires_at", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    latchkey.clock.advance(HOUR - 10_000);
    expect(await useKey(latchkey, key)).toBe("admitted");
    latchkey.clock.advance(10_000);
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
    expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_EXPIRED");
  });
});

describe("the key's value", () => {
  test("300 keys match the published pattern, carry a right checksum and are all different", async () => {
    const created = await createKeys(300);
    for (const { key } of created) {
      expect(key).toMatch(KEY);
      expect(key.slice(-6)).toBe(checksumOf(key));
    }
    expect(new Set(created.map(({ key }) => key)).size).toBe(300);
    expect(new Set(created.map(({ key }) => key.slice(3, 18))).size).toBe(300);
    expect(new Set(created.map(({ key_id }) => key_id)).size).toBe(300);
  });

  test("all 62 characters occur in the random part of keys, none far more often than the others", async () => {
    const created = await createKeys(200);
    const counts = new Map<string, number>();
    for (const { key } of created) {
      for (const char of key.slice(3, -6)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = (200 * 30) / 62;
    const chiSquare = Array.from(counts.values(), (count) => (count - expected) ** 2 / expected).reduce(
      (a, b) => a + b,
    );
    // 61 degrees of freedom: above 130 with a probability of one in a million.
    expect(chiSquare).toBeLessThan(130);
  });

  // threat: K11
  test("key_prefix is the first 12 characters of the key", async () => {
    const { key, key_prefix } = await dashboardOf(latchkey).createKey();
    expect(key_prefix).toBe(key.slice(0, 12));
  });
});

describe("bounds", () => {
  const created = async (fields: Record<string, unknown>) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(fields);
    return dashboard.result("get", { key_id });
  };

  test.each([
    ["one letter", "x"],
    ["128 letters", "x".repeat(128)],
    ["128 emoji", "😀".repeat(128)],
    ["spaces around it", "  x  "],
    ["line breaks and an escape", 'a\r\n\u001b[31m"b"'],
  ])("a name of %s is stored unchanged", async (_what, name) => {
    expect((await created({ name })).name).toBe(name);
  });

  test.each([
    ["1,024 letters", "x".repeat(1_024)],
    ["1,024 emoji", "😀".repeat(1_024)],
  ])("a description of %s is stored unchanged", async (_what, description) => {
    expect((await created({ description })).description).toBe(description);
  });

  test.each([0, 1, 100, 2_147_483_647])("limits of %d are accepted", async (n) => {
    const rate_limit = { requests_per_minute: n, requests_per_hour: n, burst_size: n };
    expect((await created({ rate_limit })).rate_limit).toEqual(
      n === 0 ? { ...rate_limit, unlimited: true } : rate_limit,
    );
  });

  test("unlimited is said where nothing limits the key, also by only a burst_size, and by no cap of its own or of a user", async () => {
    const says = async (rate_limit: object) => (await created({ rate_limit })).rate_limit.unlimited;
    for (const limit of [{}, { burst_size: 5 }, { per_user: {} }, { per_user: { burst_size: 5 } }])
      expect(await says(limit)).toBe(true);
    for (const limit of [{ requests_per_minute: 5 }, { requests_per_hour: 5 }, { per_user: { requests_per_hour: 5 } }])
      expect(await says(limit)).toBeUndefined();
  });

  test("unlimited is accepted in a request where it says what the caps say, so that a record can be sent back", async () => {
    const none = { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0 };
    const limit = { ...none, requests_per_minute: 5 };
    expect((await created({ rate_limit: { ...none, unlimited: true } })).rate_limit).toEqual({
      ...none,
      unlimited: true,
    });
    expect((await created({ rate_limit: { ...limit, unlimited: false } })).rate_limit).toEqual(limit);
  });

  test("a burst_size without a cap is warned of by create, beside what else it warns of", async () => {
    const dashboard = dashboardOf(latchkey);
    const warningOf = async (fields: object) =>
      (await dashboard.call("create", { name: "a key", permissions: ["plans:read"], ...fields })).json.warning;
    const sentence = "rate_limit.burst_size limits nothing without requests_per_minute or requests_per_hour beside it.";
    expect(await warningOf({ rate_limit: { burst_size: 5 } })).toBe(sentence);
    expect(await warningOf({ rate_limit: { burst_size: 5, requests_per_hour: 1 } })).toBeUndefined();
    const both = await warningOf({ rate_limit: { burst_size: 5 }, keyType: "KEY_TYPE_PUBLISHABLE" });
    expect(both).toMatch(/misconfigured_publishable_key.* rate_limit\.burst_size limits nothing/);
  });

  test("a limit that is left out of rate_limit is 0", async () => {
    const { rate_limit } = await created({ rate_limit: { requests_per_minute: 5 } });
    expect(rate_limit).toEqual({ requests_per_minute: 5, requests_per_hour: 0, burst_size: 0 });
  });

  // threat: P10
  test("duplicate permissions are removed, and the order of the others is kept", async () => {
    const permissions = ["plans:read", ...Array.from({ length: 500 }, () => "conversations:read"), "plans:read"];
    expect((await created({ permissions })).permissions).toEqual(["plans:read", "conversations:read"]);
  });

  test("a secret key can hold every documented scope, and every domain as a whole", async () => {
    const permissions = [
      "*",
      ...["conversations:read", "conversations:write", "plans:read", "plans:write", "users:read", "users:impersonate"],
      ...["billing:read", "billing:write", "invoices:read", "invoices:write"],
      ...["conversations:*", "plans:*", "users:*", "billing:*", "invoices:*"],
      ...["api_keys:*", "webhooks:*", "tenants:*", "system:*"],
    ];
    expect((await created({ permissions })).permissions).toEqual(permissions);
  });

  test.each(["conversations:*", "conversations:read", "conversations:write", "plans:*", "users:read", "invoices:*"])(
    "a publishable key can hold %s",
    async (scope) => {
      expect((await created({ ...PUBLISHABLE, permissions: [scope] })).permissions).toEqual([scope]);
    },
  );
});
