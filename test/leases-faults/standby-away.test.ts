import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { withPort } from "../servers/postgres.ts";
import { type Key, readMetric } from "./pair.ts";
import { onServer, startTwoServers, type TwoServers } from "./two-servers.ts";

/** So few that commits which wait and are never ended use all of them up within seconds. */
const MAX_CONNECTIONS = 50;
const REPLICAS = 3;
/** Connections of a replica that changes may use: `DATABASE_POOL_SIZE` less those kept free. */
const CHANGES_AT_ONCE = 8;
const CHANGE_EVERY_MS = 200;
/** Changes that a replica gives up after 4.5 s, and that are ended within the next second. */
const ENDING = Math.ceil(1_000 / CHANGE_EVERY_MS);
const AWAY_MS = inject("longForm") ? 120_000 : 15_000;
const RECOVERY = { timeout: 30_000 };

vi.setConfig({ testTimeout: AWAY_MS + 120_000 });

const IN_COMMIT = "select from pg_stat_activity where wait_event = 'SyncRep'";

let servers: TwoServers;
let fleet: Fleet;
let replicas: readonly Replica[];

beforeEach(async () => {
  servers = await startTwoServers({ max_connections: String(MAX_CONNECTIONS) });
  fleet = await startFleet("", servers.url);
  replicas = await Promise.all(Array.from({ length: REPLICAS }, () => fleet.start()));
  await servers.makeSynchronous();
});
afterEach(async () => {
  try {
    servers.link.mend();
    await fleet?.close();
  } finally {
    await servers?.stop();
  }
});

async function createKeys(count: number): Promise<Key[]> {
  const keys: Key[] = [];
  for (let n = 0; n < count; n++) keys.push(await fleet.createKey(replicas[n % REPLICAS] as Replica));
  return keys;
}

const verify = async (replica: Replica, { key }: Key) =>
  (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
const onAll = (ask: (replica: Replica) => Promise<number>) => Promise.all(replicas.map(ask));
const waiting = async () => (await onServer(withPort(fleet.databaseUrl, servers.primary.port), IN_COMMIT)).length;

// threat: Q11
test("while the synchronous standby is away, keys are verified, leases are held, and changes are refused in bounded time", async () => {
  const headers = await fleet.dashboard();
  const [used, unused] = [await createKeys(3), await createKeys(60)];
  const revoked = await createKeys(3);
  for (const key of [...used, ...revoked])
    expect(await onAll((replica) => verify(replica, key))).toEqual([200, 200, 200]);

  servers.link.cut();
  const endsAt = performance.now() + AWAY_MS;
  const changesFrom = performance.now() + AWAY_MS / 3;
  const statuses = new Map<string, number>();
  const count = (what: string) => void statuses.set(what, (statuses.get(what) ?? 0) + 1);
  const changes: Promise<void>[] = [];
  /** Revocations wait for each other at their key's row. Creations wait for the standby only. */
  const change = async (n: number) => {
    const [path, body] =
      n % 3 === 0
        ? ["revoke", { key_id: (revoked[(n / 3) % revoked.length] as Key).key_id }]
        : ["create", { name: `key ${n}`, permissions: ["plans:read"] }];
    const { status } = await (replicas[n % REPLICAS] as Replica).call(`/api/v1/api-keys/${path}`, body, headers);
    count(`change ${status}`);
  };
  let mostWaiting = 0;
  let waitingAlone = 0;
  while (performance.now() < endsAt) {
    const begunAt = performance.now();
    if (begunAt > changesFrom) changes.push(change(changes.length));
    const fresh = unused.pop();
    for (const key of fresh === undefined ? used : [...used, fresh])
      for (const status of await onAll((replica) => verify(replica, key))) count(`verify ${status}`);
    for (const { url } of replicas) count(`ready ${(await fetch(`${url}/readyz`)).status}`);
    if (begunAt > changesFrom) mostWaiting = Math.max(mostWaiting, await waiting());
    else waitingAlone = Math.max(waitingAlone, await waiting());
    await sleep(Math.max(0, CHANGE_EVERY_MS - (performance.now() - begunAt)));
  }
  await Promise.all(changes);

  expect([...statuses.keys()].sort()).toEqual(["change 503", "ready 200", "verify 200"]);
  expect(waitingAlone).toBe(0);
  expect(mostWaiting).toBeGreaterThan(0);
  expect(mostWaiting).toBeLessThanOrEqual(REPLICAS * (CHANGES_AT_ONCE + ENDING));
  expect(await onAll((replica) => readMetric(replica, "key_lease_held"))).toEqual([1, 1, 1]);

  servers.link.mend();
  const repeat = async () =>
    (await replicas[0]?.call("/api/v1/api-keys/revoke", { key_id: revoked[0]?.key_id }, headers))?.status;
  await expect.poll(repeat, RECOVERY).toBe(200);
  // An unanswered revocation binds from when its wait ended.
  for (const key of revoked) expect(await onAll((replica) => verify(replica, key))).toEqual([401, 401, 401]);
  for (const key of used) expect(await onAll((replica) => verify(replica, key))).toEqual([200, 200, 200]);
});
