import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { HOUR } from "../harness/test-clock.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

/**
 * The expiry of a key is checked by Redis' clock. A replica whose clock is an hour off must not set or report another
 * expiry.
 */

const VERIFY = "/api/v1/auth/verify";

let url: string;
let latchkey: Latchkey;

beforeAll(async () => {
  url = await createDatabase(inject("postgresUrl"));
  latchkey = await startLatchkey({
    config: { storage: { kind: "postgres", url }, redis: redisAt(inject("redisUrl")) },
  });
});
afterAll(async () => {
  await latchkey.close();
  await dropDatabase(inject("postgresUrl"), url);
});

/** Calls as a tenant's dashboard on a replica whose clock is off by `offsetMs`. */
function dashboardAt(offsetMs: number, tenant = newTenant()) {
  return async (verb: string, body: object) => {
    latchkey.clock.advance(offsetMs);
    try {
      return await latchkey.call(`/api/v1/api-keys/${verb}`, body, await latchkey.dashboard(tenant));
    } finally {
      latchkey.clock.advance(-offsetMs);
    }
  };
}

async function outcome(key: string): Promise<string> {
  const { status, json } = await latchkey.call(VERIFY, {}, { "x-api-key": key });
  return status === 200 ? "200" : json.denial_reason;
}

const KEY = { name: "k", permissions: ["conversations:read"] };

test.each([HOUR, -HOUR])("a rotation without grace, %i ms off, ends the old key at once", async (offsetMs) => {
  const ask = dashboardAt(offsetMs);
  const { key, key_id } = (await ask("create", KEY)).json.result;
  expect(await outcome(key)).toBe("200");
  const successor = (await ask("rotate", { key_id, grace_period_hours: 0 })).json.result;
  expect(await outcome(key)).toBe("api_key_expired");
  expect(await outcome(successor.key)).toBe("200");
  expect((await ask("get", { key_id })).json.result.status).toBe("KEY_STATUS_EXPIRED");
});

test("an expired key is shown as expired, and stays expired, on a replica whose clock is an hour behind", async () => {
  const tenant = newTenant();
  const inTime = dashboardAt(0, tenant);
  const ask = dashboardAt(-HOUR, tenant);
  const { key, key_id } = (await inTime("create", KEY)).json.result;
  await inTime("rotate", { key_id, grace_period_hours: 0 });
  expect(await outcome(key)).toBe("api_key_expired");
  const listed = await ask("list", { status: "KEY_STATUS_EXPIRED" });
  expect(listed.json.keys.map((one: { key_id: string }) => one.key_id)).toEqual([key_id]);
  const later = new Date(Date.now() + 24 * HOUR).toISOString();
  const revived = await ask("update", { key_id, update_mask: "expires_at", expires_at: later });
  expect([revived.status, revived.json.message]).toEqual([400, expect.stringContaining("has expired")]);
  expect(await outcome(key)).toBe("api_key_expired");
});

test("no key is created that has already expired, on a replica whose clock is an hour behind", async () => {
  const past = new Date(Date.now() - HOUR / 2).toISOString();
  const { status, json } = await dashboardAt(-HOUR)("create", { ...KEY, expires_at: past });
  expect([status, json.message]).toEqual([400, expect.stringMatching(/^expires_at: /)]);
});

test.each([HOUR, -HOUR])(
  "the time of last use is when the key was checked, on a replica whose clock is %i ms off",
  async (offsetMs) => {
    const ask = dashboardAt(0);
    const { key, key_id } = (await ask("create", KEY)).json.result;
    latchkey.clock.advance(offsetMs);
    try {
      expect(await outcome(key)).toBe("200");
    } finally {
      latchkey.clock.advance(-offsetMs);
    }
    // Stores the counts.
    await ask("usage", { key_id });
    const { created_at, last_used_at } = (await ask("get", { key_id })).json.result;
    const passedMs = Date.parse(last_used_at) - Date.parse(created_at);
    expect(passedMs).toBeGreaterThanOrEqual(0);
    expect(passedMs).toBeLessThan(HOUR / 2);
  },
);
