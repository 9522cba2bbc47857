// promise: requests.explained
import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { explain, requestIdOf, requestsOf, verifyWith } from "../harness/recent-requests.ts";

const latchkey = await sharedLatchkey();

/** The explanation, with its steps as names, the failed one with a "!". */
async function explained(tenant: string, requestId: string) {
  const { status, json, text } = await explain(latchkey, tenant, requestId);
  expect(status, text).toBe(200);
  const { steps, ...rest } = json.result;
  const names = steps.map(({ name, passed }: { name: string; passed: boolean }) => (passed ? name : `${name}!`));
  return { ...rest, steps: names.join(" "), detail: steps.at(-1)?.detail };
}

test("a denial names the check that failed, those before it, and what to do", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["plans:read"] });
  const request_id = await verifyWith(latchkey, key, { scope: "plans:write" });
  const [request] = await requestsOf(latchkey, dashboard.tenant);
  expect(await explained(dashboard.tenant, request_id)).toEqual({
    request,
    allowed: false,
    denial_reason: "insufficient_scope",
    steps: "credentials key status source rate_limit scope!",
    detail: "This API key lacks the scope plans:write; use a key that has it, or add it to this key's permissions.",
    remedy: "Use a key or a user with the scope it needs.",
    documentation: "/docs/errors#insufficient_scope",
  });
  await dashboard.result("revoke", { key_id });
  expect(await explained(dashboard.tenant, await verifyWith(latchkey, key))).toMatchObject({
    denial_reason: "api_key_revoked",
    steps: "credentials key status!",
    remedy: "Create a new key.",
  });
});

test("a limit, an address and a user's token are checks of their own", async () => {
  const dashboard = dashboardOf(latchkey);
  const limited = await dashboard.createKey({ rate_limit: { requests_per_minute: 1 } });
  await verifyWith(latchkey, limited.key);
  expect(await explained(dashboard.tenant, await verifyWith(latchkey, limited.key))).toMatchObject({
    denial_reason: "rate_limited",
    steps: "credentials key status source rate_limit!",
    remedy: "Wait for the seconds in Retry-After.",
  });
  const fenced = await dashboard.createKey({ allowed_ips: ["203.0.113.7"] });
  expect(await explained(dashboard.tenant, await verifyWith(latchkey, fenced.key))).toMatchObject({
    denial_reason: "origin_not_allowed",
    steps: "credentials key status source!",
    request: { address: "127.0.0.1" },
  });
  const app = await dashboard.createKey(PUBLISHABLE);
  expect(await explained(dashboard.tenant, await verifyWith(latchkey, app.key))).toMatchObject({
    denial_reason: "publishable_key_requires_jwt",
    steps: "credentials key status source oidc!",
  });
});

test("a request that was admitted passed all checks, and one of a wrong path came to none", async () => {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant));
  expect(await explained(tenant, await verifyWith(latchkey, key))).toMatchObject({
    allowed: true,
    denial_reason: "",
    steps: "credentials key status source rate_limit scope",
    remedy: "",
    documentation: "",
  });
  const wrong = await latchkey.call("/api/v1/nothing", {}, { "x-api-key": key });
  expect(await explained(tenant, requestIdOf(wrong))).toMatchObject({
    allowed: false,
    denial_reason: "not_found",
    steps: "path!",
    documentation: "/docs/errors#path_not_found",
  });
});

test("of several requests with one id the newest is explained", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["plans:read"] });
  const headers = { "x-api-key": key, "x-request-id": `req_twice_${key_id}` };
  await latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, headers);
  await dashboard.result("disable", { key_id });
  await latchkey.call("/api/v1/auth/verify", {}, headers);
  expect(await explained(dashboard.tenant, headers["x-request-id"])).toMatchObject({
    denial_reason: "api_key_disabled",
  });
});
