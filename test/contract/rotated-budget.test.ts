// promise: rotation.budget, rotation.limits
import { describe, expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";

type Dashboard = ReturnType<typeof dashboardOf>;

const latchkey = await sharedLatchkey();

async function rotatedKey(rate_limit: object, fields: object = {}) {
  const dashboard = dashboardOf(latchkey);
  const old = await dashboard.createKey({ rate_limit, ...fields });
  return { dashboard, old, successor: await rotate(dashboard, old) };
}

async function rotate(dashboard: Dashboard, { key_id }: { key_id: string }) {
  const { key, key_id: id } = await dashboard.result("rotate", { key_id });
  return { key: String(key), key_id: String(id) };
}

const use = ({ key }: { key: string }, headers: Record<string, string> = {}) =>
  latchkey.call(VERIFY, {}, { "x-api-key": key, ...headers });

/** How many of these requests, sent at once with each key in turn, are admitted. */
async function admitted(keys: readonly { key: string }[], count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, n) => use(keys[n % keys.length] ?? { key: "" }));
  return (await Promise.all(calls)).filter(({ status }) => status === 200).length;
}

describe("a rotated key and its successor", () => {
  // threat: L14
  test("together get exactly what one key gets, at once", async () => {
    latchkey.clock.stand();
    const { old, successor } = await rotatedKey({ requests_per_minute: 20 });
    expect(await admitted([old, successor], 200)).toBe(20);
  });

  test("share what the old key has spent before the rotation", async () => {
    const dashboard = dashboardOf(latchkey);
    const old = await dashboard.createKey({ rate_limit: { requests_per_minute: 3 } });
    await use(old);
    await use(old);
    const successor = await rotate(dashboard, old);
    expect((await use(successor)).headers.get("x-ratelimit-remaining")).toBe("0");
    expect((await use(successor)).status).toBe(429);
    expect((await use(old)).status).toBe(429);
  });

  test("of a chain of rotations share it all", async () => {
    const { dashboard, old, successor } = await rotatedKey({ requests_per_hour: 30 });
    const third = await rotate(dashboard, successor);
    const fourth = await rotate(dashboard, third);
    expect(await admitted([old, successor, third, fourth], 120)).toBe(30);
  });

  test("share it until the old key ends, and the successor keeps it", async () => {
    const { old, successor } = await rotatedKey({ requests_per_minute: 4 });
    expect(await admitted([old], 3)).toBe(3);
    latchkey.clock.advance(24 * HOUR);
    expect((await use(old)).json.denial_reason).toBe("api_key_expired");
    expect(await admitted([successor], 9)).toBe(4);
    latchkey.clock.advance(60 * SECOND);
    expect(await admitted([successor], 9)).toBe(4);
  });

  test("share the budgets of users", async () => {
    const limit = { per_user: { requests_per_minute: 2 } };
    const { old, successor } = await rotatedKey(limit, { permissions: ["users:impersonate"] });
    const anna = { "x-on-behalf-of": "anna" };
    const statuses: number[] = [];
    for (const key of [old, successor, old, successor]) statuses.push((await use(key, anna)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await use(successor, { "x-on-behalf-of": "ben" })).status).toBe(200);
  });

  test("whose limits differ each have their own limit of what both have spent", async () => {
    const { dashboard, old, successor } = await rotatedKey({ requests_per_minute: 5 });
    const { key_id } = successor;
    const raised = { requests_per_minute: 9 };
    await dashboard.result("update", { key_id, rate_limit: raised, update_mask: "rate_limit.requests_per_minute" });
    expect(await admitted([old], 20)).toBe(5);
    latchkey.clock.advance(60 * SECOND);
    expect(await admitted([successor], 20)).toBe(9);
    expect(await admitted([old], 20)).toBe(0);
  });

  test("with different bursts do not get more of either by taking turns", async () => {
    latchkey.clock.stand();
    const { dashboard, old, successor } = await rotatedKey({ requests_per_hour: 1_000, burst_size: 5 });
    const { key_id } = successor;
    await dashboard.result("update", { key_id, rate_limit: { burst_size: 3 }, update_mask: "rate_limit.burst_size" });
    expect(await admitted([old, successor], 60)).toBeLessThanOrEqual(5);
  });
});
