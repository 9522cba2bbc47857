import { afterEach, beforeEach, expect, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import type { Key } from "./pair.ts";
import { onServer, startTwoServers, type TwoServers } from "./two-servers.ts";

const RECOVERY = { timeout: 60_000 };
const ROUNDS = 20;

let servers: TwoServers;
let redis: RedisServer;
let fleet: Fleet;

beforeEach(async () => {
  [servers, redis] = await Promise.all([startTwoServers(), startOwnRedis()]);
  fleet = await startFleet(redis.url, servers.primary.url);
});
afterEach(async () => {
  try {
    await fleet?.close().catch(() => undefined);
  } finally {
    await Promise.all([servers?.stop(), redis?.stop()]);
  }
});

/** The database on one of the servers, whatever the address leads to. */
const on = (port: number): string => {
  const url = new URL(fleet.databaseUrl);
  url.port = `${port}`;
  return url.href;
};
const start = (port: number) => fleet.start({ DATABASE_URL: on(port) });
const verify = async (replica: Replica, { key }: Key) =>
  (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
const revoke = async (replica: Replica, { key_id }: Key) =>
  (await replica.call("/api/v1/api-keys/revoke", { key_id }, await fleet.dashboard())).status;

/** A failover, a revocation and a new key on the new primary; then the old one comes back beside it. */
async function failBack(): Promise<{ revoked: Key; stuck: Replica; following: Replica; made: Key }> {
  const stuck = await start(servers.primary.port);
  const [revoked, used] = [await fleet.createKey(stuck), await fleet.createKey(stuck)];
  await servers.awaitReplay();
  expect(await verify(stuck, revoked)).toBe(200);
  await servers.failOver();
  const following = await start(servers.standby.port);
  await servers.primary.restart();
  await expect.poll(() => revoke(following, revoked), RECOVERY).toBe(200);
  const made = await fleet.createKey(following);
  expect([await verify(following, made), await verify(following, used)]).toEqual([200, 200]);
  return { revoked, stuck, following, made };
}

// threat: Q11
test("processes that only ever reach the old primary learn from Redis that it was replaced, with memory and without", async () => {
  const { revoked, stuck, following, made } = await failBack();
  // The one that knows the old primary only, and connects to it again.
  for (let n = 0; n < ROUNDS; n++) expect(await verify(stuck, revoked)).not.toBe(200);
  await expect.poll(async () => (await fetch(`${stuck.url}/readyz`)).status, RECOVERY).toBe(503);
  expect(await verify(stuck, made)).toBe(500);
  // One without memory ends without having listened.
  await expect(start(servers.primary.port)).rejects.toThrow(/lacks a change that was acknowledged|was replaced/);
  expect([await verify(following, made), await verify(following, revoked)]).toEqual([200, 401]);
});

test("the timeline is enough: nothing was changed since the failover", async () => {
  const first = await start(servers.primary.port);
  const key = await fleet.createKey(first);
  await servers.awaitReplay();
  await servers.failOver();
  const following = await start(servers.standby.port);
  // It waits for the processes that the server lists, which may remember more.
  await expect.poll(() => verify(following, key)).toBe(200);
  await servers.primary.restart();
  await expect(start(servers.primary.port)).rejects.toThrow(/was replaced/);
});

test("without Redis it cannot be known: a process without memory believes the only server that it reaches", async () => {
  const { revoked, made } = await failBack();
  await redis.stop();
  const fresh = await start(servers.primary.port);
  expect([await verify(fresh, revoked), await verify(fresh, made)]).toEqual([200, 401]);
});

// threat: Q11
test("a position of another database in Redis, or an invalid one, changes nothing", async () => {
  const first = await start(servers.primary.port);
  const key = await fleet.createKey(first);
  expect(await verify(first, key)).toBe(200);
  const [{ name } = { name: "" }] = await onServer(
    on(servers.primary.port),
    "select 'lk:history:{' || system_identifier || ':' || current_database() || '}' as name from pg_control_system()",
  );
  const { Redis } = await import("ioredis");
  const client = new Redis(redis.url);
  try {
    await expect.poll(() => client.get(`${name}`), RECOVERY).toMatch(/^1 /);
    await client.set(`${name}`, "none of ours");
    await client.set(`${name}x`, "7 11111111-1111-4111-8111-111111111111");
    const fresh = await start(servers.primary.port);
    expect(await verify(fresh, key)).toBe(200);
    await expect.poll(() => client.get(`${name}`), RECOVERY).toMatch(/^1 /);
  } finally {
    client.disconnect();
  }
});
