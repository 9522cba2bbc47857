import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import type { Answer, JsonObject } from "../harness/http.ts";
import { dashboardOf, instant, KEY_VERBS, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const UNKNOWN = `key_${"0".repeat(32)}`;
const MALFORMED = [
  "x",
  "key_",
  "key_0",
  "KEY_00000000000000000000000000000000",
  `org_${"0".repeat(32)}`,
  `key_${"g".repeat(32)}`,
  `key_${"0".repeat(100_000)}`,
  "' or '1'='1",
  "%",
  "*",
  "../create",
  "😀",
  " ",
];

const latchkey = await sharedLatchkey();

/** All of an answer that could tell two of them apart. */
function observable({ status, headers, text }: Answer): object {
  const told = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  return { status, headers: told, text };
}

test("a tenant whose name begins with a byte order mark is another one than that without it", async () => {
  const tenant = newTenant();
  const marked = dashboardOf(latchkey, `\ufeff${tenant}`);
  const first = await marked.createKey();
  const rotated = await marked.result("rotate", { key_id: first.key_id, grace_period_hours: 1 });
  for (const key of [first.key, String(rotated.key)]) {
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    expect(json).toMatchObject({ tenant_id: `\ufeff${tenant}` });
  }
  expect((await dashboardOf(latchkey, tenant).ask("list", {})).json).toMatchObject({ pagination: { total: 0 } });
});

describe.each(KEY_VERBS)("$method", ({ method, body }) => {
  test("another tenant's key, an unknown and a malformed key_id are the same 404, byte for byte", async () => {
    const owner = dashboardOf(latchkey);
    const stranger = dashboardOf(latchkey);
    const { key_id } = await owner.createKey();
    const unknown = await stranger.ask(method, body(UNKNOWN));
    expectNotFound(unknown);
    for (const keyId of [key_id, key_id.toUpperCase(), ` ${key_id}`, ...MALFORMED]) {
      const answer = await stranger.ask(method, body(keyId));
      expect(observable(answer), keyId.slice(0, 50)).toEqual(observable(unknown));
    }
  });

  test("one's own key_id in capitals or with spaces around it is unknown too", async () => {
    const owner = dashboardOf(latchkey);
    const { key_id } = await owner.createKey();
    for (const keyId of [key_id.toUpperCase(), ` ${key_id}`, `${key_id} `, `${key_id}\n`]) {
      expectNotFound(await owner.ask(method, body(keyId)));
    }
  });

  test("another tenant's key is left exactly as it was, and still works", async () => {
    const owner = dashboardOf(latchkey);
    const stranger = dashboardOf(latchkey);
    const { key, key_id } = await owner.createKey();
    const before = { record: await owner.result("get", { key_id }), list: (await owner.ask("list", {})).text };
    expectNotFound(await stranger.ask(method, body(key_id)));
    expect({ record: await owner.result("get", { key_id }), list: (await owner.ask("list", {})).text }).toEqual(before);
    expect(await useKey(latchkey, key)).toBe("admitted");
  });

  test("the state of another tenant's key cannot be told: revoked, disabled, expired, rotated, publishable", async () => {
    const owner = dashboardOf(latchkey);
    const stranger = dashboardOf(latchkey);
    const ids = {
      revoked: (await owner.createKey()).key_id,
      disabled: (await owner.createKey()).key_id,
      expired: (await owner.createKey({ expires_at: instant(latchkey, HOUR) })).key_id,
      rotated: (await owner.createKey()).key_id,
      publishable: (await owner.createKey(PUBLISHABLE)).key_id,
    };
    await owner.result("revoke", { key_id: ids.revoked });
    await owner.result("disable", { key_id: ids.disabled });
    await owner.result("rotate", { key_id: ids.rotated });
    latchkey.clock.advance(HOUR);
    const unknown = observable(await stranger.ask(method, body(UNKNOWN)));
    for (const keyId of Object.values(ids))
      expect(observable(await stranger.ask(method, body(keyId)))).toEqual(unknown);
  });
});

describe("bodies that only a real key would refuse", () => {
  test.each([
    { permissions: ["billing:read"], update_mask: "permissions" },
    { permissions: ["nonsense"], update_mask: "permissions" },
    { update_mask: "name" },
    { expires_at: "2001-01-01T00:00:00Z", update_mask: "expires_at" },
    { name: "x", update_mask: "keyType" },
  ])("an update with %j of another tenant's key is answered as of an unknown one", async (body) => {
    const stranger = dashboardOf(latchkey);
    const { key_id } = await dashboardOf(latchkey).createKey(PUBLISHABLE);
    const ofForeign = await stranger.ask("update", { key_id, ...body });
    const ofUnknown = await stranger.ask("update", { key_id: UNKNOWN, ...body });
    expect(observable(ofForeign)).toEqual(observable(ofUnknown));
  });
});

describe("list", () => {
  test("shows and counts the caller's keys only, on every page and for every status", async () => {
    const owner = dashboardOf(latchkey);
    const stranger = dashboardOf(latchkey);
    const owned = await Promise.all(Array.from({ length: 5 }, () => owner.createKey()));
    await owner.result("revoke", { key_id: owned[0]?.key_id });
    const empty = { total: 0, per_page: 2, total_pages: 0 };
    for (const status of ["KEY_STATUS_UNSPECIFIED", "KEY_STATUS_ACTIVE", "KEY_STATUS_REVOKED"]) {
      for (const page of [1, 2, 3]) {
        const { json } = await stranger.ask("list", { page, per_page: 2, status });
        expect(json).toEqual({ keys: [], pagination: { ...empty, page } });
      }
    }
    const { key_id } = await stranger.createKey();
    const { keys, pagination } = (await stranger.ask("list", { per_page: 100 })).json;
    expect(keys.map((record: JsonObject) => record.key_id)).toEqual([key_id]);
    expect(pagination.total).toBe(1);
  });

  test("no answer names the tenant", async () => {
    const owner = dashboardOf(latchkey);
    const { key_id } = await owner.createKey();
    for (const answer of [await owner.ask("list", {}), await owner.ask("get", { key_id })]) {
      expect(answer.text).not.toContain(owner.tenant);
      expect(answer.text).not.toMatch(/tenant/i);
    }
  });
});

describe("choosing a tenant", () => {
  test("an X-Tenant-Id header chooses nothing", async () => {
    const owner = dashboardOf(latchkey);
    const { key_id } = await owner.createKey();
    const headers = { ...(await latchkey.dashboard()), "x-tenant-id": owner.tenant };
    expectNotFound(await latchkey.call("/api/v1/api-keys/get", { key_id }, headers));
  });

  test.each(["tenant_id", "tenantId", "tenant"])("a %s in the body is refused", async (member) => {
    const owner = dashboardOf(latchkey);
    const stranger = dashboardOf(latchkey);
    const body = { name: "x", permissions: ["plans:read"], [member]: owner.tenant };
    expectInvalid(await stranger.ask("create", body), member);
    expectInvalid(await stranger.ask("list", { [member]: owner.tenant }), member);
    expect((await owner.ask("list", {})).json.pagination.total).toBe(0);
  });

  test("a tenant whose name differs in case or by a space is another tenant", async () => {
    const owner = dashboardOf(latchkey);
    await owner.createKey();
    for (const tenant of [owner.tenant.toUpperCase(), `${owner.tenant} `, `${owner.tenant}\u200b`]) {
      const answer = await dashboardOf(latchkey, tenant).ask("list", {});
      if (answer.status === 200) expect(answer.json.pagination.total).toBe(0);
      else expect(answer.json.denial_reason).toBe("tenant_required");
    }
  });
});
