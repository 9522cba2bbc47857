import { afterEach, beforeEach, expect, test } from "vitest";
import { type Key, type Pair, startPair } from "./pair.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

const RECOVERY = { timeout: 60_000 };
const ROUNDS = 40;

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

const statusOf = async (path: string) => (await fetch(`${pair.replicas[0].url}${path}`)).status;

// threat: Q11
test("a primary that was replaced and comes back at the address is not believed, also where connections lead to both", async () => {
  const [revoker] = pair.replicas;
  const [used, revoked, unused] = (await pair.createKeys(3)) as [Key, Key, Key];
  for (const key of [used, revoked]) expect(await pair.verifyOnBoth(key)).toEqual([200, 200]);
  await servers.awaitReplay();
  await servers.failOver();
  await expect.poll(() => pair.verifyOnBoth(used), RECOVERY).toEqual([200, 200]);
  await expect.poll(() => pair.revoke(revoker, revoked), RECOVERY).toBe(true);
  expect(await pair.verifyOnBoth(revoked)).toEqual([401, 401]);
  const [made] = (await pair.createKeys(1)) as [Key];

  // The failback that nobody planned: the old primary is up again, and the address leads to it.
  await servers.primary.restart();
  servers.address.redirect(servers.primary.port);
  for (let n = 0; n < ROUNDS; n++) expect(await pair.verifyOnBoth(revoked)).not.toContain(200);
  await expect.poll(pair.leases, RECOVERY).toEqual([0, 0]);
  await expect.poll(() => statusOf("/readyz"), RECOVERY).toBe(503);
  for (let n = 0; n < ROUNDS; n++) expect(await pair.verifyOnBoth(revoked)).not.toContain(200);
  // Neither a key that the old primary has nor one that it never had is decided there.
  for (const key of [unused, made]) expect(await pair.verifyOnBoth(key)).toEqual([500, 500]);
  expect(await pair.revoke(revoker, unused)).toBe(false);

  // Now each new connection leads to the other server of the two.
  const ports = [servers.standby.port, servers.primary.port];
  for (let n = 0; n < ROUNDS; n++) {
    servers.address.redirect(ports[n % 2] as number);
    expect(await pair.verifyOnBoth(revoked)).not.toContain(200);
  }

  servers.address.redirect(servers.standby.port);
  await expect.poll(pair.leases, RECOVERY).toEqual([1, 1]);
  for (const key of [unused, made]) await expect.poll(() => pair.verifyOnBoth(key), RECOVERY).toEqual([200, 200]);
  expect(await pair.verifyOnBoth(revoked)).toEqual([401, 401]);
  await expect.poll(() => statusOf("/readyz"), RECOVERY).toBe(200);
});
