import { afterEach, beforeEach, expect, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import type { Key } from "./pair.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

const RECOVERY = { timeout: 60_000 };

let servers: TwoServers;
let fleet: Fleet;
/** Both servers, the one that is the primary at first before the other. */
let hosts: string;

beforeEach(async () => {
  servers = await startTwoServers();
  fleet = await startFleet("", servers.primary.url);
  const url = new URL(fleet.databaseUrl);
  const { primary, standby } = servers;
  hosts = url.href.replace(url.host, `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`);
});
afterEach(async () => {
  try {
    await fleet?.close().catch(() => undefined);
  } finally {
    await servers?.stop();
  }
});

const start = () => fleet.start({ DATABASE_URL: `${hosts}?target_session_attrs=read-write` });
const verify = async (replica: Replica, { key }: Key) =>
  (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
const revoke = async (replica: Replica, { key_id }: Key) =>
  (await replica.call("/api/v1/api-keys/revoke", { key_id }, await fleet.dashboard())).status;

// threat: Q11
test("a failover is followed without a proxy, and a primary that was replaced is never used again", async () => {
  const replica = await start();
  const [used, unused, revoked] = [
    await fleet.createKey(replica),
    await fleet.createKey(replica),
    await fleet.createKey(replica),
  ];
  expect(await verify(replica, used)).toBe(200);
  await servers.awaitReplay();
  await servers.primary.crash();
  await servers.standby.promote();
  for (const key of [used, unused]) await expect.poll(() => verify(replica, key), RECOVERY).toBe(200);
  await expect.poll(() => revoke(replica, revoked), RECOVERY).toBe(200);

  // It comes back as a second primary, which knows nothing of the revocation.
  await servers.primary.restart();
  const fresh = await start();
  for (const each of [replica, fresh]) {
    expect(await verify(each, revoked)).toBe(401);
    expect(await verify(each, used)).toBe(200);
  }
  await servers.standby.stop();
  for (const each of [replica, fresh]) await expect.poll(() => verify(each, revoked), RECOVERY).toBe(500);
  for (let n = 0; n < 20; n++) for (const each of [replica, fresh]) expect(await verify(each, revoked)).toBe(500);
});

// threat: Q11
test("a primary that goes on beside the one that replaced it is left before a change binds on the new one", async () => {
  const replicas = [await start(), await start()];
  const [first] = replicas as [Replica];
  const [used, revoked] = [await fleet.createKey(first), await fleet.createKey(first)];
  for (const replica of replicas) for (const key of [used, revoked]) expect(await verify(replica, key)).toBe(200);
  await servers.awaitReplay();
  await servers.standby.promote();

  // It never knew the old one.
  const fresh = await start();
  expect(await revoke(fresh, revoked)).toBe(200);
  for (let n = 0; n < 20; n++) for (const replica of replicas) expect(await verify(replica, revoked)).not.toBe(200);
  for (const replica of replicas) {
    await expect.poll(() => verify(replica, used), RECOVERY).toBe(200);
    expect(await verify(replica, revoked)).toBe(401);
  }
  expect(await revoke(first, used)).toBe(200);
  for (const replica of [...replicas, fresh]) expect(await verify(replica, used)).toBe(401);
});
