// promise: webhooks.stored-secrets
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { HANDED_SECRETS } from "../harness/handed-secrets.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { storedText } from "../harness/stored-text.ts";
import { HOOK_URL } from "../harness/webhooks.ts";

let latchkey: Latchkey;
let storage: Config["storage"];
let cleanUp: () => Promise<void>;
beforeAll(async () => {
  ({ storage, cleanUp } = await testStorage());
  latchkey = await startLatchkey({ config: { storage } });
});
afterAll(() => cleanUp());

/** Each RPC that hands over a secret, with a call that gets one. */
const HANDED: Readonly<Record<string, (tenant: string) => Promise<string>>> = {
  "CreateApiKey result.key": async (tenant) => (await dashboardOf(latchkey, tenant).createKey()).key,
  "RotateApiKey result.key": async (tenant) => {
    const dashboard = dashboardOf(latchkey, tenant);
    return (await dashboard.result("rotate", { key_id: (await dashboard.createKey()).key_id })).key;
  },
  "CreateTenantKey result.key": async (tenant_id) => {
    const body = { tenant_id, name: "a key", permissions: ["plans:read"] };
    return (await latchkey.call("/api/v1/operator/keys/create", body, OPERATOR)).json.result.key;
  },
  "RotateTenantKey result.key": async (tenant_id) => {
    const { key_id } = await dashboardOf(latchkey, tenant_id).createKey();
    return (await latchkey.call("/api/v1/operator/keys/rotate", { tenant_id, key_id }, OPERATOR)).json.result.key;
  },
  "CreateInvitation token": async () => {
    const own = { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: undefined, sub: "owner" })}` };
    const { json } = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, own);
    const owner = await latchkey.dashboardToken({ tenant_id: json.result.tenant_id, sub: "owner" });
    const headers = { authorization: `Bearer ${owner}` };
    return (await latchkey.call("/api/v1/orgs/invitations/create", { email: "jo@example.com" }, headers)).json.token;
  },
  "DeriveToken result.token": async (tenant) => {
    const { key } = await dashboardOf(latchkey, tenant).createKey({ permissions: ["plans:read"] });
    const body = { scopes: ["plans:read"] };
    return (await latchkey.call("/api/v1/tokens/derive", body, { "x-api-key": key })).json.result.token;
  },
  "CreateWebhook secret": async (tenant) => (await createWebhook(tenant)).secret,
  "RotateWebhookSecret secret": async (tenant) => {
    const { result, secret: before } = await createWebhook(tenant);
    const headers = await latchkey.dashboard(tenant);
    const { json } = await latchkey.call("/api/v1/webhooks/rotate-secret", { webhook_id: result.webhook_id }, headers);
    // It signs for a day.
    return `${json.secret} ${before}`;
  },
};

async function createWebhook(tenant: string) {
  const body = { url: HOOK_URL, events: ["*"] };
  return (await latchkey.call("/api/v1/webhooks/create", body, await latchkey.dashboard(tenant))).json;
}

// threat: K18
test("every RPC that hands over a secret is in this test", () => {
  const handing = HANDED_SECRETS.map(({ method, place }) => `${method.name} ${place}`);
  expect(Object.keys(HANDED).toSorted()).toEqual(handing.toSorted());
});

// threat: K18
test("no secret that was handed over can be read in any column of any table", async () => {
  const tenant = newTenant();
  const secrets: [string, string][] = [];
  for (const [name, hand] of Object.entries(HANDED))
    for (const secret of (await hand(tenant)).split(" ")) secrets.push([name, secret]);
  await latchkey.close();
  const stored = await storedText(storage);
  expect(stored).toContain(tenant);
  for (const [name, secret] of secrets) {
    expect(secret, name).toMatch(/^\S{32,}$/);
    for (const trace of tracesOf(secret)) expect(stored.includes(trace), name).toBe(false);
  }
});

/** A part of a secret in the forms in which a column may have it: as text, as bytes, and what it is the Base64 of. */
function tracesOf(secret: string): string[] {
  const part = secret.slice(-24, -4);
  const decoded = Buffer.from(secret.replace(/^[a-z]+_/, ""), "base64").subarray(-16);
  expect(decoded).toHaveLength(16);
  return [secret, part, Buffer.from(part).toString("hex"), decoded.toString("hex")];
}
