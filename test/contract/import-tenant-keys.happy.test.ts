import { expect, test } from "vitest";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

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
