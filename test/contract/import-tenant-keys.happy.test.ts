import { fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ImportTenantKeysRequestSchema,
  ImportTenantKeysResponseSchema,
} from "../../gen/latchkey/v1/operator_service_pb.ts";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import type { JsonObject } from "../harness/http.ts";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR, operatorOf } from "../harness/operator.ts";

const latchkey = await startLatchkey();
const operator = operatorOf(latchkey);

test("one call imports keys of several tenants, by their hash for any format", async () => {
  const format = await createFormat(latchkey);
  const tenants = [newTenant(), newTenant(), newTenant()];
  const texts = tenants.map(() => drawText(format));
  const keys = tenants.map((tenant_id, n) => rowOf(format, texts[n] ?? "", { tenant_id }));
  await importAll(operator, keys);
  for (const [n, text] of texts.entries()) {
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": text });
    expect(json.tenant_id).toBe(tenants[n]);
  }
});

test("a key of another deployment of this service is imported by its hash", async () => {
  const elsewhere = await startLatchkey();
  const { key } = await dashboardOf(elsewhere).createKey();
  const tenant = newTenant();
  expect(await useKey(latchkey, key)).toBe("api_key_not_found");
  const row = { hash: { digest: sha256(key) }, key_prefix: key.slice(0, 12), name: "moved" };
  const [key_id] = await importAll(operator, [{ ...row, tenant_id: tenant, permissions: ["conversations:read"] }]);
  expect(await useKey(latchkey, key)).toBe("admitted");
  const record = await dashboardOf(latchkey, tenant).result("get", { key_id });
  expect(record).toMatchObject({ imported: true, key_prefix: key.slice(0, 12) });
  expect(record).not.toHaveProperty("key_format");
});

test("a publishable key does not become a secret one: its beginning must be given, and of its type", async () => {
  const tenant_id = newTenant();
  const text = makeSecret("publishable");
  const row = { tenant_id, name: "moved", permissions: ["conversations:read"], hash: { digest: sha256(text) } };
  const keyType = "KEY_TYPE_PUBLISHABLE";
  const key_prefix = text.slice(0, 12);
  const format = await createFormat(latchkey);
  const rows: JsonObject[] = [
    ...[row, { ...row, keyType }, { ...row, key_prefix }, { ...row, hash: undefined, key: text }],
    { ...row, key_prefix: "sk_", keyType },
    { ...rowOf(format, drawText(format), { tenant_id }), keyType },
  ];
  const { json } = await operator.call("keys/import", { keys: rows });
  expect(json.results.map(({ field }: JsonObject) => field)).toEqual([
    "key_prefix",
    "key_prefix",
    "keyType",
    "keyType",
    "keyType",
    "keyType",
  ]);
  await importAll(operator, [{ ...row, key_prefix, keyType }]);
  expect(await useKey(latchkey, text)).toBe("misconfigured_publishable_key");
});

test("one call imports a thousand rows with many members, in JSON and in binary", async () => {
  const format = await createFormat(latchkey);
  const rows = (tenant_id: string) =>
    Array.from({ length: 1_000 }, (_, n) =>
      rowOf(format, drawText(format), {
        ...{ tenant_id, description: `key ${n}`, external_id: `u${n}`, metadata: { plan: "pro", seats: n } },
        ...{ rate_limit: { requests_per_minute: 60, requests_per_hour: 600, burst_size: 10 }, disabled: false },
        ...{ permissions: ["conversations:read", "conversations:write"], allowed_ips: ["192.0.2.1", "192.0.2.2"] },
        ...{ created_at: "2026-01-31T12:00:00Z", expires_at: "2099-01-31T12:00:00Z" },
      }),
    );
  await importAll(operator, rows(newTenant()));
  const request = fromJson(ImportTenantKeysRequestSchema, { keys: rows(newTenant()) });
  const answer = await fetch(`${latchkey.url}/latchkey.v1.OperatorService/ImportTenantKeys`, {
    method: "POST",
    headers: { "content-type": "application/proto", ...OPERATOR },
    body: new Uint8Array(toBinary(ImportTenantKeysRequestSchema, request)),
  });
  const { created } = fromBinary(ImportTenantKeysResponseSchema, new Uint8Array(await answer.arrayBuffer()));
  expect(created).toBe(1_000);
});
