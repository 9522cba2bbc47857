// promise: imported.rows
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { JsonObject } from "../harness/http.ts";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const tenant = newTenant();
const dashboard = dashboardOf(latchkey, tenant);
const format = await createFormat(latchkey, { tenants: [tenant] });

/** The outcome of a row beside a good one, which must be imported whatever becomes of the row. */
async function outcomeOf(row: JsonObject): Promise<JsonObject> {
  const { status, text, json } = await dashboard.call("import", { keys: [row, rowOf(format, drawText(format))] });
  expect(status, text).toBe(200);
  expect(json.results[1].status).toBe("CREATED");
  expect(json.created + json.exists + json.refused).toBe(2);
  return json.results[0];
}

test.each([
  ["name", "required", { name: "" }],
  ["name", "required", { name: " " }],
  ["name", "invalid_value", { name: "x".repeat(129) }],
  ["description", "invalid_value", { description: "x".repeat(1_025) }],
  ["permissions", "required", { permissions: [] }],
  ["permissions[1]", "unknown_scope", { permissions: ["plans:read", "no:scope"] }],
  ["rate_limit.requests_per_minute", "invalid_value", { rate_limit: { requests_per_minute: -1 } }],
  ["created_at", "invalid_value", { created_at: "2999-01-01T00:00:00Z" }],
  ["revoked_at", "invalid_value", { revoked_at: "2999-01-01T00:00:00Z" }],
  ["external_id", "invalid_value", { external_id: "x".repeat(257) }],
  ["metadata", "invalid_value", { metadata: { note: "x".repeat(5_000) } }],
  ["allowed_ips[0]", "invalid_value", { allowed_ips: ["nowhere"] }],
  ["key_prefix", "invalid_value", { key_prefix: "x".repeat(13) }],
  ["key_format", "key_format_not_found", { key_format: "no-format" }],
  ["hash", "one_of_required", { key: "x" }],
  ["hash", "one_of_required", { hash: undefined }],
  ["hash.algorithm", "invalid_value", { hash: { algorithm: "MD5", digest: sha256("") } }],
  ["hash.algorithm", "invalid_value", { hash: { algorithm: "SHA512", digest: sha256("") } }],
  ["hash.digest", "required", { hash: {} }],
  ["hash.digest", "invalid_value", { hash: { digest: sha256("").slice(1) } }],
  ["hash.digest", "invalid_value", { hash: { digest: createHash("sha512").digest("hex") } }],
  ["hash.digest", "invalid_value", { hash: { digest: Buffer.from(sha256("")).toString("base64") } }],
  ["hash.pepper", "invalid_value", { hash: { digest: sha256(""), pepper: "acme" } }],
  ["public_part", "invalid_value", { public_part: "42" }],
  ["key", "invalid_value", { hash: undefined, key_format: "", key: "acme_live_3f9a1c5e7b2d4f60819a2b3c4d5e6f70" }],
])("a row is refused alone because of %s: %s", async (field, reason, members) => {
  const text = drawText(format);
  const outcome = await outcomeOf(rowOf(format, text, members));
  expect(outcome).toEqual({ index: 0, status: "REFUSED", reason, field, message: expect.any(String) });
  expect(outcome.message).toMatch(/^[\x20-\x7e]{1,800}$/);
  expect(outcome.message.split(": ", 1)[0]).toBe(field);
  expect(await useKey(latchkey, text)).toBe("api_key_not_found");
});

test("a key that somebody has chosen is refused", async () => {
  for (const chosen of ["a".repeat(40), "deadbeef".repeat(5), "0123456789".repeat(4)]) {
    const key = format.prefix + chosen;
    const outcome = await outcomeOf(rowOf(format, "", { hash: undefined, key }));
    expect(outcome).toMatchObject({ status: "REFUSED", reason: "key_not_importable", field: "key" });
  }
});

test("a key of this service is refused by its hash, and imported by its text", async () => {
  const { key } = await dashboardOf(latchkey).createKey();
  const row = { ...rowOf(format, key), key_format: "" };
  expect(await outcomeOf(row)).toMatchObject({ status: "REFUSED", field: "hash", reason: "invalid_value" });
});

test("a format that hashes a part needs the public part beside a hash, and binds it", async () => {
  const split = await createFormat(latchkey, {
    tenants: [tenant],
    hashed_part: "AFTER_LAST",
    separator: "|",
    length_max: 80,
  });
  const secret = drawText({ prefix: "" });
  const row = rowOf(split, secret);
  expect(await outcomeOf(row)).toMatchObject({ reason: "required", field: "public_part" });
  await importAll(dashboard, [{ ...row, public_part: "42" }]);
  expect(await useKey(latchkey, `${split.prefix}42|${secret}`)).toBe("admitted");
  expect(await useKey(latchkey, `${split.prefix}43|${secret}`)).toBe("api_key_not_found");
});

describe("the tenant's rules", () => {
  const set = async (policy: object) => {
    const path = "/api/v1/api-keys/policy/set";
    expect((await latchkey.call(path, { policy }, await latchkey.dashboard(tenant))).status).toBe(200);
  };

  test("refuse the rows that go beyond them, and no key that has ended", async () => {
    await set({ expiry_required: true, permissions: ["conversations:*"] });
    const rows = [
      rowOf(format, drawText(format)),
      rowOf(format, drawText(format), { expires_at: "2999-01-01T00:00:00Z" }),
      rowOf(format, drawText(format), { expires_at: "2999-01-01T00:00:00Z", permissions: ["plans:read"] }),
      rowOf(format, drawText(format), { revoked_at: "2025-01-01T00:00:00Z" }),
    ];
    const { results } = (await dashboard.call("import", { keys: rows })).json;
    expect(results.map(({ status, field }: JsonObject) => field ?? status)).toEqual([
      "expires_at",
      "CREATED",
      "permissions[0]",
      "CREATED",
    ]);
    expect(results[0].reason).toBe("rule_exceeded");
    await set({});
  });

  test("count the rows of one call, and no row that exists", async () => {
    const { json } = await dashboard.call("list", { status: "KEY_STATUS_ACTIVE" });
    await set({ max_keys: json.pagination.total + 2 });
    const rows = Array.from({ length: 4 }, () => rowOf(format, drawText(format)));
    const { results } = (await dashboard.call("import", { keys: rows })).json;
    expect(results.map(({ status }: JsonObject) => status)).toEqual(["CREATED", "CREATED", "REFUSED", "REFUSED"]);
    expect(results[2]).toMatchObject({ reason: "rule_exceeded", message: expect.stringContaining("max_keys") });
    const again = await dashboard.call("import", { keys: rows.slice(0, 2) });
    expect(again.json.exists).toBe(2);
    await set({});
  });
});

test("no rows, too many of them, and a member that no row has, are 400", async () => {
  expectInvalid(await dashboard.call("import", { keys: [] }), "keys");
  const rows = Array.from({ length: 1_001 }, () => ({ name: "x" }));
  expectInvalid(await dashboard.call("import", { keys: rows }), "keys");
  const unknown = await dashboard.call("import", { keys: [{ name: "x", scopes: [] }] });
  expect([unknown.status, unknown.json.reason]).toEqual([400, "unknown_member"]);
});

test("a format with keys that have not ended cannot be deleted, and one whose keys have ended can", async () => {
  const own = await createFormat(latchkey, { tenants: [tenant] });
  const [key_id] = await importAll(dashboard, [rowOf(own, drawText(own))]);
  const refused = await operator.call("key-formats/delete", { key_format: own.key_format });
  expect([refused.status, refused.json.reason]).toEqual([400, "key_format_in_use"]);
  await dashboard.result("revoke", { key_id });
  await operator.answer("key-formats/delete", { key_format: own.key_format });
});
