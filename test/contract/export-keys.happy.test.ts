// promise: imported.out
import { expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const [here, there] = await Promise.all([startLatchkey(), startLatchkey()]);
const tenant = newTenant();
const format = await createFormat(here);

async function exported(latchkey: Latchkey, per_page: number): Promise<JsonObject[]> {
  const keys: JsonObject[] = [];
  for (let page_token = ""; ; ) {
    const page = await operatorOf(latchkey).answer("keys/export", { per_page, page_token });
    keys.push(...page.keys);
    if (page.next_page_token === "") return keys;
    page_token = page.next_page_token;
  }
}

test("all keys of a deployment go to another one, and each of them works there", async () => {
  const texts = Array.from({ length: 5 }, () => drawText(format));
  await importAll(
    operatorOf(here),
    texts.map((text) => rowOf(format, text, { tenant_id: tenant })),
  );
  const made = await Promise.all(Array.from({ length: 5 }, () => dashboardOf(here, tenant).createKey()));
  const keys = await exported(here, 3);
  expect(keys).toHaveLength(10);
  const digest = sha256(texts[0] ?? "");
  expect(keys.find(({ hash }) => hash.digest === digest)).toMatchObject({
    key: { tenant_id: tenant, imported: true, key_format: format.key_format, name: "imported" },
    hash: { algorithm: "SHA256", digest, pepper: "" },
  });
  const { created_at: _, ...declared } = format;
  await operatorOf(there).result("key-formats/create", declared);
  const rows = keys.map(({ key, hash }) => {
    const { tenant_id, key_format, key_prefix, name, permissions, created_at } = key;
    return { tenant_id, hash, key_prefix, name, permissions, created_at, ...(key_format && { key_format }) };
  });
  await importAll(operatorOf(there), rows);
  for (const text of [...texts, ...made.map(({ key }) => key)])
    expect(await useKey(there, text)).not.toMatch(/^api_key/);
  expect(await exported(there, 1_000)).toHaveLength(10);
});

test("every call is in the trail, without a hash", async () => {
  await exported(here, 1_000);
  const { events } = await operatorOf(here).answer("audit/list", { action: "api_key.exported" });
  expect(events[0].changes.keys.new).toBeGreaterThanOrEqual(0);
  expect(JSON.stringify(events)).not.toMatch(/[0-9a-f]{64}/);
});

test("keys of an erased tenant are left out", async () => {
  const erased = newTenant();
  await importAll(operatorOf(here), [rowOf(format, drawText(format), { tenant_id: erased })]);
  await operatorOf(here).answer("tenants/erase", { tenant_id: erased });
  const keys = await exported(here, 1_000);
  expect(keys.some(({ key }) => key.tenant_id === erased)).toBe(false);
});
