// promise: lists.pages
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Dashboard, dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { report } from "../harness/leaks.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

async function listed(dashboard: Dashboard, body: JsonObject) {
  const answer = await dashboard.call("list", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const namesOf = ({ keys }: JsonObject) => keys.map(({ name }: JsonObject) => name);

/** Four keys of a tenant: `web` is publishable, `old backend` is revoked. */
async function fourKeys() {
  const dashboard = dashboardOf(latchkey);
  await dashboard.createKey({ ...PUBLISHABLE, name: "web", external_id: "customer-7", permissions: ["users:read"] });
  const old = await dashboard.createKey({ name: "old backend", external_id: "customer-7", permissions: ["users:*"] });
  const backend = await dashboard.createKey({
    name: "Backend",
    external_id: "customer-8",
    permissions: ["users:read"],
  });
  await dashboard.createKey({
    name: "backup",
    permissions: ["users:read", "plans:read"],
    metadata: { team: "Storage" },
  });
  await dashboard.result("revoke", { key_id: old.key_id });
  return { dashboard, backend };
}

describe("a list has the keys with all that the request names, and their total", () => {
  test.each<[JsonObject, string[]]>([
    [{ external_id: "customer-7" }, ["old backend", "web"]],
    [{ external_id: "customer" }, []],
    [{ name_prefix: "back" }, ["backup", "Backend"]],
    [{ name_prefix: "BACKE" }, ["Backend"]],
    [{ name_prefix: "%" }, []],
    [{ key_prefix: "pk_" }, ["web"]],
    [{ key_prefix: "s" }, ["backup", "Backend", "old backend"]],
    [{ keyType: "KEY_TYPE_PUBLISHABLE" }, ["web"]],
    [{ keyType: "KEY_TYPE_SECRET" }, ["backup", "Backend", "old backend"]],
    [{ scope: "users:read" }, ["backup", "Backend", "web"]],
    [{ scope: "users:*" }, ["old backend"]],
    [{ search: "ack" }, ["backup", "Backend", "old backend"]],
    [{ search: "OMER-8" }, ["Backend"]],
    [{ search: "storage" }, ["backup"]],
    [{ search: "sk_" }, ["backup", "Backend", "old backend"]],
    [{ search: "k_" }, []],
    [{ search: "back", keyType: "KEY_TYPE_PUBLISHABLE" }, []],
    [{ leaked: true }, []],
    [{ leaked: false }, ["backup", "Backend", "old backend", "web"]],
    [{ expires_before: "9998-01-01T00:00:00Z" }, []],
    [{ last_used_before: "1970-01-01T00:00:00Z" }, []],
    [{ external_id: "customer-7", status: "KEY_STATUS_REVOKED" }, ["old backend"]],
    [{ name_prefix: "back", scope: "users:read", keyType: "KEY_TYPE_SECRET", external_id: "customer-8" }, ["Backend"]],
    [{ name_prefix: "back", status: "KEY_STATUS_REVOKED" }, []],
  ])("%j", async (body, names) => {
    const { dashboard } = await fourKeys();
    const page = await listed(dashboard, body);
    expect(namesOf(page)).toEqual(names);
    expect(page.pagination).toMatchObject({ total: names.length, total_pages: names.length === 0 ? 0 : 1 });
    const second = await listed(dashboard, { ...body, page: 2, per_page: 1 });
    expect(namesOf(second)).toEqual(names.slice(1, 2));
    expect(second.pagination).toMatchObject({ total: names.length, total_pages: names.length });
  });

  test("a key is found by its beginning, by the whole of it too, and by no other", async () => {
    const { dashboard, backend } = await fourKeys();
    for (const key_prefix of [backend.key, backend.key.slice(0, 20), backend.key_prefix])
      expect(namesOf(await listed(dashboard, { key_prefix }))).toEqual(["Backend"]);
    const other = backend.key_prefix.slice(0, -1) + (backend.key_prefix.endsWith("a") ? "b" : "a");
    expect(namesOf(await listed(dashboard, { key_prefix: other }))).toEqual([]);
  });
});

test("a search finds a key by its id, by the whole key or by the beginning of it", async () => {
  const { dashboard, backend } = await fourKeys();
  for (const search of [
    backend.key_id,
    backend.key_id.toUpperCase(),
    backend.key_id.slice(4),
    backend.key,
    backend.key_prefix,
  ])
    expect(namesOf(await listed(dashboard, { search }))).toEqual(["Backend"]);
  expectInvalid(await dashboard.call("list", { search: backend.key, key_prefix: "pk_" }), "search", "key_prefix");
});

test("keys that expire soon, that are unused and that were leaked are found", async () => {
  const dashboard = dashboardOf(latchkey);
  const now = latchkey.clock.now().getTime();
  const inHours = (hours: number) => new Date(now + hours * HOUR).toISOString();
  const soon = await dashboard.createKey({ name: "soon", expires_at: inHours(24) });
  const leaked = await dashboard.createKey({ name: "leaked" });
  expect((await report(latchkey, [{ key: leaked.key }])).status).toBe(200);
  latchkey.clock.advance(2 * HOUR);
  await useKey(latchkey, soon.key);
  await dashboard.result("usage", { key_id: soon.key_id });
  await dashboard.createKey({ name: "new", expires_at: inHours(48) });
  expect(namesOf(await listed(dashboard, { expires_before: inHours(25) }))).toEqual(["soon"]);
  expect(namesOf(await listed(dashboard, { expires_before: inHours(49) }))).toEqual(["new", "soon"]);
  expect(namesOf(await listed(dashboard, { last_used_before: inHours(1) }))).toEqual(["leaked"]);
  expect(namesOf(await listed(dashboard, { last_used_before: inHours(3) }))).toEqual(["new", "leaked", "soon"]);
  expect(namesOf(await listed(dashboard, { leaked: true }))).toEqual(["leaked"]);
});

describe("sort", () => {
  test("last_used_at has the latest use first, and keys that were never used last", async () => {
    const dashboard = dashboardOf(latchkey);
    const [early, late] = [await dashboard.createKey({ name: "early" }), await dashboard.createKey({ name: "late" })];
    await dashboard.createKey({ name: "never" });
    for (const { key, key_id } of [early, late]) {
      latchkey.clock.advance(1_000);
      await useKey(latchkey, key);
      await dashboard.result("usage", { key_id });
    }
    expect(namesOf(await listed(dashboard, { sort: "last_used_at" }))).toEqual(["late", "early", "never"]);
    for (const body of [{}, { sort: "created_at" }, { sort: "" }])
      expect(namesOf(await listed(dashboard, body))).toEqual(["never", "late", "early"]);
    expect(namesOf(await listed(dashboard, { sort: "last_used_at", name_prefix: "e" }))).toEqual(["early"]);
  });

  test.each(["name", "last_used_at desc", "-created_at", "Created_at", "x".repeat(100_000)])(
    "an unknown one is 400 and names those that there are",
    async (sort) => {
      const answer = await dashboardOf(latchkey).call("list", { sort });
      expectInvalid(answer, "sort", "must be created_at or last_used_at");
      expect(answer.text.length).toBeLessThan(500);
    },
  );
});

test.each([
  [{ external_id: "x".repeat(257) }, "external_id"],
  [{ name_prefix: "x".repeat(129) }, "name_prefix"],
  [{ key_prefix: "x".repeat(129) }, "key_prefix"],
  [{ scope: "x".repeat(257) }, "scope"],
  [{ search: "x".repeat(129) }, "search"],
  [{ leaked: "yes" }, "leaked"],
  [{ expires_before: "soon" }, "expires_before"],
  [{ expires_before: "0000-01-01T00:00:00Z" }, "expires_before"],
  [{ last_used_before: 30 }, "last_used_before"],
  [{ external_id: "" }, "external_id"],
  [{ keyType: "secret" }, "keyType"],
  [{ name_prefix: ["a"] }, "name_prefix"],
  [{ scope: "a\0" }, "scope"],
  [{ status: null }, "status"],
])("%j is 400 and names the member", async (body, member) => {
  expectInvalid(await dashboardOf(latchkey).call("list", body), member);
});
