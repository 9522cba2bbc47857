// promise: edges.usage
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Edge } from "../../src/edge/edge.ts";
import { createEdge } from "../../src/edge/edge.ts";
import { eventsOf } from "../harness/audit.ts";
import { decide, EDGE_TOKEN, leased } from "../harness/edges.ts";
import { eventually } from "../harness/eventually.ts";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { requestsOf } from "../harness/recent-requests.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { outcomesOf } from "../harness/usage-series.ts";

const VERIFY = "/api/v1/auth/verify";
const FIELDS = {
  permissions: ["plans:read", "users:impersonate"],
  allowed_ips: ["127.0.0.1", "192.0.2.0/24"],
  rate_limit: { requests_per_hour: 4 },
};

let latchkey: Latchkey;
let edge: Edge;

beforeAll(async () => {
  latchkey = await startLatchkey({
    config: { edgeTokens: [EDGE_TOKEN], trustedProxies: trusting(["127.0.0.1"]) },
    purgeMs: 20,
  });
  const { clock } = latchkey;
  // All calls are within one hour.
  clock.advance(HOUR - (clock.now().getTime() % HOUR));
  edge = createEdge({ baseUrl: latchkey.url, token: EDGE_TOKEN });
  await leased(edge);
});
afterAll(async () => {
  await edge.close();
  await latchkey.close();
});

type Ask = (headers: Readonly<Record<string, string>>, scope: string) => Promise<unknown>;

/** The same calls, by whoever decides them. */
async function callWith(key: string, ask: Ask): Promise<void> {
  const from = { "x-forwarded-for": "192.0.2.7" };
  await ask({ "x-api-key": key, ...from }, "plans:read");
  await ask({ "x-api-key": key, ...from, "x-on-behalf-of": "anna" }, "plans:read");
  await ask({ "x-api-key": key, ...from, "x-on-behalf-of": "anna" }, "plans:read");
  await ask({ "x-api-key": key, ...from }, "plans:write");
  await ask({ "x-api-key": key, ...from }, "plans:read");
  await ask({ "x-api-key": key, "x-forwarded-for": "198.51.100.7" }, "plans:read");
}

/** What is kept of a request, without what is its own. */
function kept({ request_id, at, key_id, ...request }: JsonObject): JsonObject {
  expect(request_id).toMatch(/^req_/);
  expect(Date.parse(at)).not.toBeNaN();
  expect(key_id).toMatch(/^key_/);
  return request;
}

test("calls that an edge decides are in usage, recent requests and the audit trail as those at the service", async () => {
  const seen = [];
  const tenants: string[] = [];
  const asks: Ask[] = [
    (headers, scope) => latchkey.call(VERIFY, { scope }, headers),
    async (headers, scope) => expect(await decide(edge, headers, { scopes: [scope] })).toBeDefined(),
  ];
  for (const ask of asks) {
    const dashboard = dashboardOf(latchkey, newTenant());
    const { key, key_id } = await dashboard.createKey(FIELDS);
    tenants.push(dashboard.tenant);
    await callWith(key, ask);
    const usage = await eventually(async () => {
      const { json } = await dashboard.call("usage", { key_id, step: "hour" });
      expect(json.result.total_verifications).toBe(6);
      return { result: json.result, outcomes: outcomesOf(json.series) };
    });
    const requests = await eventually(async () => {
      const found = await requestsOf(latchkey, dashboard.tenant);
      expect(found).toHaveLength(4);
      return found.map(kept).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    });
    const { last_used_at } = await dashboard.result("get", { key_id });
    seen.push({ usage, requests, isUsed: last_used_at !== undefined });
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]?.usage.outcomes).toEqual({
    successful: 3,
    insufficient_scope: 1,
    rate_limited: 1,
    origin_not_allowed: 1,
  });

  latchkey.clock.advance(2 * HOUR + 121 * SECOND);
  const events = await Promise.all(
    tenants.map((tenant) =>
      eventually(async () => {
        const found = await eventsOf(latchkey, tenant, { action: "user.impersonated" });
        expect(found).toHaveLength(1);
        const [{ target_id, actor, address, impersonation } = {}] = found;
        return { target_id, kind: actor.kind, user: actor.user_id, address, calls: impersonation.calls };
      }),
    ),
  );
  expect(events[0]).toMatchObject({ target_id: "anna", address: "192.0.2.7", calls: 2 });
  expect(events[1]).toEqual(events[0]);
});

test("what was decided last is reported by an edge that closes", async () => {
  const own = createEdge({ baseUrl: latchkey.url, token: EDGE_TOKEN });
  await leased(own);
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const calls = Array.from({ length: 250 }, () => decide(own, { "x-api-key": key }));
  await Promise.all(calls);
  await own.close();
  await eventually(async () => {
    const { json } = await dashboard.call("usage", { key_id });
    expect(json.result.successful_verifications).toBe(250);
  });
});
