import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withPort } from "../servers/postgres.ts";
import { type Key, type Pair, readMetric, startPair } from "./pair.ts";
import { onServer, startTwoServers, type TwoServers } from "./two-servers.ts";

const KEYS = 24;
/** Keys that are not used after the failover. */
const IDLE_KEYS = 10;
/** Their tenant is cached, too. */
const TENANTS = 1;
/** And the dashboard user, where keys are changed. */
const USERS = 1;
/** One record of all key formats. */
const FORMATS = 1;
const BOUND_MS = 6_000;
const RECOVERY = { timeout: 20_000 };

let servers: TwoServers;
let pair: Pair;

beforeEach(async () => {
  servers = await startTwoServers();
  pair = await startPair(servers.url);
});
afterEach(async () => {
  try {
    await pair?.close();
  } finally {
    await servers?.stop();
  }
});

describe("a failover to a synchronous standby", () => {
  test("under load keeps each acknowledged revocation, and none of these keys is accepted", async () => {
    await servers.makeSynchronous();
    const { replicas, verify, verifyOnBoth, revoke } = pair;
    const [revoker, other] = replicas;
    const [keys, idle] = [await pair.createKeys(KEYS), await pair.createKeys(IDLE_KEYS)];
    for (const key of [...keys, ...idle]) expect(await verifyOnBoth(key)).toEqual([200, 200]);
    expect(await readMetric(other, "key_cache_records")).toBe(KEYS + IDLE_KEYS + TENANTS + FORMATS);

    const ackedMs = new Map<Key, number>();
    let stale = 0;
    let verified = 0;
    let isOver = false;
    const verifying = replicas.map(async (replica) => {
      while (!isOver) {
        for (const key of keys) {
          const fromMs = performance.now();
          const status = await verify(replica, key).catch(() => 0);
          verified += 1;
          if (status === 200 && fromMs > (ackedMs.get(key) ?? Number.POSITIVE_INFINITY)) stale += 1;
        }
      }
    });
    let failedOverMs = Number.POSITIVE_INFINITY;
    let firstMs: number | undefined;
    const revoking = (async () => {
      for (const key of keys) {
        let fromMs = performance.now();
        while (!(await revoke(revoker, key).catch(() => false))) {
          await sleep(50);
          fromMs = performance.now();
        }
        ackedMs.set(key, performance.now());
        if (fromMs > failedOverMs) firstMs ??= performance.now();
      }
    })();
    await expect.poll(() => ackedMs.size, { timeout: 20_000, interval: 5 }).toBeGreaterThan(KEYS / 4);
    await servers.primary.crash();
    failedOverMs = performance.now();
    await servers.standby.promote();
    servers.address.redirect(servers.standby.port);
    await revoking;
    isOver = true;
    await Promise.all(verifying);

    expect(verified).toBeGreaterThan(KEYS * 10);
    expect(stale).toBe(0);
    const after = withPort(pair.fleet.databaseUrl, servers.standby.port);
    expect(await onServer(after, "select from api_keys where revoked_at is null")).toHaveLength(IDLE_KEYS);
    for (const key of keys) expect(await verifyOnBoth(key)).toEqual([401, 401]);
    // Replicas that this server does not list are waited for.
    expect((firstMs ?? 0) - failedOverMs).toBeGreaterThan(BOUND_MS);
    await expect.poll(pair.leases, RECOVERY).toEqual([1, 1]);
    // All records from the other server were dropped: keys that were not used since are not cached.
    for (const replica of replicas)
      expect(await readMetric(replica, "key_cache_records")).toBeLessThanOrEqual(KEYS + TENANTS + USERS + FORMATS);
    const [last] = idle as [Key];
    expect(await verifyOnBoth(last)).toEqual([200, 200]);
    const startedMs = performance.now();
    expect(await revoke(other, last)).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(BOUND_MS / 2);
    expect(await verifyOnBoth(last)).toEqual([401, 401]);
  }, 120_000);
});

describe("while the address leads to a standby", () => {
  // threat: H8
  test("no replica has a lease or is ready, and keys revoked on the primary are denied", async () => {
    const [key] = (await pair.createKeys(1)) as [Key];
    expect(await pair.verifyOnBoth(key)).toEqual([200, 200]);
    await servers.awaitReplay();
    servers.link.cut();
    const before = withPort(pair.fleet.databaseUrl, servers.primary.port);
    await onServer(before, "update api_keys set revoked_at = now()");
    servers.address.redirect(servers.standby.port);
    await expect.poll(pair.leases, RECOVERY).toEqual([0, 0]);
    const isReady = async () => (await fetch(`${pair.replicas[0].url}/readyz`)).status;
    await expect.poll(isReady, RECOVERY).toBe(503);
    expect(await pair.verifyOnBoth(key)).toEqual([500, 500]);
    servers.address.redirect(servers.primary.port);
    await expect.poll(pair.leases, RECOVERY).toEqual([1, 1]);
    expect(await pair.verifyOnBoth(key)).toEqual([401, 401]);
  }, 120_000);
});
