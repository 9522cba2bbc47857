// promise: imported.out
import { expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { createFormat, drawText, importAll, rowOf, rowOfExport } from "../harness/imports.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { startPublishable } from "../harness/publishable.ts";

const config = { keyPeppers: new Map([["acme", "a pepper of acme"]]) };
const { latchkey: here, keyHost, newApp } = await startPublishable(config);
const there = await startLatchkey({ config: { ...config, jwksAllowedHosts: [keyHost.host] } });
const operator = operatorOf(here);
const tenant = newTenant();
const dashboard = dashboardOf(here, tenant);
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

/** One key of each kind, as the headers of a call with it. */
async function keysOfEachKind(): Promise<Record<string, Record<string, string>>> {
  const peppered = await createFormat(here, { algorithm: "HMAC_SHA512", pepper: "acme" });
  await createFormat(here, {
    ...{
      prefix: "split_",
      length_min: 50,
      length_max: 60,
      alphabet: "BASE62",
      hashed_part: "AFTER_LAST",
      separator: "|",
    },
  });
  const texts = {
    "another system's": drawText(format),
    "another system's with a pepper": drawText(peppered),
    "another system's with a public part": `split_42|${"7hQ2mVx9KcT4bNf8RzL1sWp6YdG3jUe5oAiMqXvB"}cd`,
    "another system's, revoked": drawText(format),
  };
  const permissions = ["conversations:read"];
  const ids = await importAll(
    operator,
    Object.values(texts).map((key) => ({ tenant_id: tenant, key, name: "imported", permissions })),
  );
  await operator.result("keys/revoke", { key_id: ids.at(-1) });
  const create = (fields: object = {}) => dashboard.createKey({ permissions, ...fields });
  const [plain, disabled, revoked, fenced, old] = await Promise.all([
    ...[create({ metadata: { plan: "pro" }, external_id: "u1", rate_limit: { requests_per_minute: 600 } }), create()],
    ...[create(), create({ allowed_ips: ["192.0.2.1"] }), create()],
  ]);
  await dashboard.result("disable", { key_id: disabled?.key_id });
  await dashboard.result("revoke", { key_id: revoked?.key_id });
  const rotated = await dashboard.result("rotate", { key_id: old?.key_id });
  const app = await newApp({ tenant });
  const page = await newApp({ tenant, fields: { allowed_origins: ["https://app.example"] } });
  const made = { plain, disabled, revoked, fenced, rotated: old, "rotated to": rotated };
  const secrets = {
    ...texts,
    ...Object.fromEntries(Object.entries(made).map(([kind, key]) => [kind, key?.key ?? ""])),
  };
  return {
    ...Object.fromEntries(Object.entries(secrets).map(([kind, key]) => [kind, { "x-api-key": key }])),
    publishable: app.headers(),
    "publishable, without a user": { ...app.keyHeader },
    "publishable, of a page": { ...page.headers(), origin: "https://app.example" },
    "publishable, of another page": { ...page.headers(), origin: "https://other.example" },
  };
}

/** What each of the calls gets. */
async function outcomesOf(latchkey: Latchkey, calls: Record<string, Record<string, string>>) {
  const outcomes = Object.entries(calls).map(async ([kind, headers]) => {
    const { status, json } = await latchkey.call("/api/v1/auth/verify", {}, headers);
    const { permissions, metadata, external_id, user_id, denial_reason } = json;
    return [
      kind,
      { status, permissions, metadata, external_id, user_id, denial_reason, tenant: json.tenant_id },
    ] as const;
  });
  return Object.fromEntries(await Promise.all(outcomes));
}

test("all keys of a deployment go to another one, and each of them works there as it did", async () => {
  const calls = await keysOfEachKind();
  const before = await outcomesOf(here, calls);
  expect(Object.values(before).filter(({ status }) => status === 200).length).toBeGreaterThan(7);
  const keys = await exported(here, 3);
  const { formats } = await operator.answer("key-formats/list", {});
  for (const { created_at: _, ...declared } of formats) await operatorOf(there).result("key-formats/create", declared);
  await importAll(operatorOf(there), keys.map(rowOfExport));
  expect(await outcomesOf(there, calls)).toEqual(before);
  const again = await exported(there, 1_000);
  const told = (all: readonly JsonObject[]) => all.map(({ hash, public_part }) => ({ hash, public_part }));
  expect(told(again)).toEqual(expect.arrayContaining(told(keys)));
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
