// promise: audit.no-hiding
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { AS_EDGE, edgeClient } from "../harness/edge-clients.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { eventually } from "../harness/eventually.ts";
import { type Latchkey, newTenant, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { RPCS } from "../harness/rpcs.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";
/** How many users of a key may wait to be stored. */
const USERS_MAX = 5_000;
const REPORTED_AT_ONCE = 500;

let latchkey: Latchkey;
let postgres: pg.Client;
let cleanUp: () => Promise<void>;

beforeAll(async () => {
  const stored = await testStorage();
  ({ cleanUp } = stored);
  if (stored.storage.kind !== "postgres") throw new Error("nothing can hold up the embedded store");
  latchkey = await startLatchkey({
    config: { storage: stored.storage, edgeTokens: [EDGE_TOKEN] },
    purgeMs: 50,
  });
  postgres = new pg.Client(stored.storage.url);
  await postgres.connect();
});
afterAll(async () => {
  await postgres.end();
  await latchkey.close();
  await cleanUp();
});

/** What an edge has admitted of a key for one user after the other: as many calls, but in a tenth of the time. */
async function actForMadeUpUsers(tenantId: string, keyId: string, count: number): Promise<void> {
  const hourMs = BigInt(latchkey.clock.now().getTime());
  for (let first = 0; first < count; first += REPORTED_AT_ONCE) {
    const impersonations = Array.from({ length: REPORTED_AT_ONCE }, (_, n) => ({
      ...{ hourMs, tenantId, keyId, userId: `made-up ${first + n}`, calls: 1, requestId: "req_1" },
    }));
    await edgeClient(latchkey.url).report({ batchId: crypto.randomUUID(), impersonations }, { headers: AS_EDGE });
  }
}

// threat: X19
test("a key that makes up users hides none: what cannot be named is refused, on every path, and other keys go on", async () => {
  const tenant = newTenant();
  const dashboard = await latchkey.dashboard(tenant);
  const fields = { permissions: ["*"], rate_limit: { requests_per_minute: 1_000 } };
  const [flooding, other] = [
    await latchkey.createKey(dashboard, fields),
    await latchkey.createKey(dashboard, { permissions: ["users:impersonate"] }),
  ];
  const own = { "x-api-key": flooding.key };
  const derived = await latchkey.call("/api/v1/tokens/derive", { scopes: ["plans:read"], user_id: "hidden" }, own);
  const as = (userId: string, headers: Record<string, string> = own) => ({ ...headers, "x-on-behalf-of": userId });

  await postgres.query("begin");
  await postgres.query("lock table impersonation_hours in share mode");
  // One batch of these is under way when the table is locked, and waits.
  await actForMadeUpUsers(tenant, flooding.key_id, USERS_MAX + 2 * REPORTED_AT_ONCE);

  const refused = await latchkey.call(VERIFY, {}, as("hidden"));
  expect(refused.json).toMatchObject({
    code: "resource_exhausted",
    denial_reason: "rate_limited",
    rate_limit: { limit: 1_000, remaining: 0 },
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  for (const { path, callers, body } of RPCS) {
    if (callers === "dashboard" || callers === "operator") continue;
    expect((await latchkey.call(path, body(other.key_id), as("hidden"))).status, path).toBe(429);
  }
  expect((await fetch(`${latchkey.url}/auth/check`, { headers: as("hidden") })).status).toBe(429);
  const bearer = { authorization: `Bearer ${derived.json.result.token}` };
  expect((await latchkey.call(VERIFY, {}, bearer)).status).toBe(429);

  // For nobody, for a user who waits to be stored already, and for any user of another key.
  expect((await latchkey.call(VERIFY, {}, own)).status).toBe(200);
  expect((await latchkey.call(VERIFY, {}, as(`made-up ${USERS_MAX}`))).status).toBe(200);
  expect((await latchkey.call(VERIFY, {}, as("somebody", { "x-api-key": other.key }))).status).toBe(200);
  await postgres.query("commit");

  await eventually(async () => expect((await latchkey.call(VERIFY, {}, as("admitted"))).status).toBe(200));
  latchkey.clock.advance(2 * HOUR + 121 * SECOND);
  const named = async (userId: string) =>
    (await eventsOf(latchkey, tenant, { action: "user.impersonated", target_id: userId })).map(
      ({ actor, impersonation }) => [actor.key_id, impersonation.calls],
    );
  await eventually(async () => expect(await named("admitted")).toEqual([[flooding.key_id, 1]]));
  expect(await named(`made-up ${USERS_MAX}`)).toEqual([[flooding.key_id, 2]]);
  expect(await named("somebody")).toEqual([[other.key_id, 1]]);
  expect(await named("hidden")).toEqual([]);
  const { rows } = await postgres.query("select count(*)::int as unnamed from audit_events where target_id = ''");
  expect(rows).toEqual([{ unnamed: 0 }]);
});
