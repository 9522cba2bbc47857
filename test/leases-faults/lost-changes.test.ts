// promise: keys.failover
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { succeed } from "../cli/command-line.ts";
import { EDGE_TOKEN } from "../harness/edge-token.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { textMessage } from "../harness/gateway.ts";
import { createKey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";
import { withPort } from "../servers/postgres.ts";
import { startEdgeProcess } from "./edge-process.ts";
import { type Key, readMetric } from "./pair.ts";
import { onServer, startTwoServers, type TwoServers } from "./two-servers.ts";

const RECOVERY = { timeout: 60_000 };
const LAG_MS = 1_500;
const ENV = { OPERATOR_TOKEN, EDGE_TOKEN };

let servers: TwoServers;
let fleet: Fleet;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  servers = await startTwoServers();
  fleet = await startFleet("", servers.url);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  try {
    await fleet?.close();
  } finally {
    await servers?.stop();
  }
});

const statusOf = async (replica: Replica, { key }: Key) =>
  (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key }).catch(() => undefined))?.status ?? 0;

/** Verifies keys without a pause, and counts acceptances. */
function verifyAll(replicas: readonly Replica[], keys: readonly Key[]) {
  let isOver = false;
  let accepted = 0;
  const running = replicas.map(async (replica) => {
    while (!isOver) for (const key of keys) if ((await statusOf(replica, key)) === 200) accepted += 1;
  });
  return async () => {
    isOver = true;
    await Promise.all(running);
    return accepted;
  };
}

// threat: Q13
test("what a promoted standby lacks is denied by all that are left and by new processes, and made again once", async () => {
  const [first, second, third] = await Promise.all([fleet.start(ENV), fleet.start(ENV), fleet.start(ENV)]);
  const edge = await startEdgeProcess(second.url);
  cleanUps.push(edge.kill);
  const user = await fleet.dashboard();
  const tenant = newTenant();
  const make = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => fleet.createKey(first)))) as Key[];
  const [revoked, disabled, [enabled, used, narrowed], ofTenant] = await Promise.all([
    make(8),
    make(3),
    make(3) as Promise<[Key, Key, Key]>,
    fleet.dashboard(undefined, tenant).then((other) => createKey(first.url, other, {})),
  ]);
  const ended = [...revoked, ...disabled, ofTenant];
  for (const replica of [first, second, third])
    for (const key of [...ended, enabled, used, narrowed]) expect(await statusOf(replica, key)).toBe(200);
  await expect.poll(() => edge.verify(ended.map(({ key }) => key)), RECOVERY).toEqual(ended.map(() => "admitted"));
  await servers.awaitReplay();

  // From here on the standby gets nothing more.
  servers.link.cut();
  const change = async (replica: Replica, path: string, body: object, headers = user) =>
    expect((await replica.call(path, body, headers)).status).toBe(200);
  const replicas = [first, second, third];
  const at = (n: number) => replicas[n % replicas.length] as Replica;
  const [created] = (await make(1)) as [Key];
  await change(first, "/api/v1/llm/gateway/send-message", {
    conversation_key: "lost",
    user_message: textMessage("hello"),
  });
  await Promise.all([
    ...revoked.map(({ key_id }, n) => change(at(n), "/api/v1/api-keys/revoke", { key_id })),
    ...disabled.map(({ key_id }, n) => change(at(n), "/api/v1/api-keys/disable", { key_id })),
    change(third, "/api/v1/operator/tenants/suspend", { tenant_id: tenant, reason: "a trial" }, OPERATOR),
    change(third, "/api/v1/api-keys/update", {
      key_id: narrowed.key_id,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      update_mask: "expires_at",
    }),
    change(second, "/api/v1/api-keys/disable", { key_id: enabled.key_id }).then(() =>
      change(third, "/api/v1/api-keys/enable", { key_id: enabled.key_id }),
    ),
  ]);
  await sleep(LAG_MS);
  const survivors = [first, second];
  const stop = verifyAll(survivors, ended);
  await edge.watch(ended.map(({ key }) => key));

  await Promise.all([third.end("SIGKILL"), servers.failOver()]);
  const fresh = await fleet.start(ENV);
  const stopFresh = verifyAll([fresh], ended);
  for (const replica of [...survivors, fresh]) await expect.poll(() => statusOf(replica, used), RECOVERY).toBe(200);
  const restored = [...revoked, ...disabled, narrowed].map(({ key_id }) => key_id).concat(tenant);
  const query = (statement: string) =>
    onServer(withPort(fleet.databaseUrl, servers.standby.port), statement) as Promise<{ target_id: string }[]>;
  const targets = async (action: string) =>
    (await query(`select target_id from audit_events where action = '${action}'`)).map(({ target_id }) => target_id);
  await expect.poll(async () => (await targets("change.restored")).sort(), RECOVERY).toEqual(restored.sort());
  await sleep(1_000);
  expect([await stop(), await stopFresh()]).toEqual([0, 0]);

  for (const replica of [...survivors, fresh]) {
    for (const key of ended) expect(await statusOf(replica, key)).toBe(401);
    for (const key of [enabled, used, narrowed]) await expect.poll(() => statusOf(replica, key), RECOVERY).toBe(200);
    await expect.poll(async () => (await fetch(`${replica.url}/readyz`)).status, RECOVERY).toBe(200);
  }
  expect(await edge.verify(ended.map(({ key }) => key))).not.toContain("admitted");
  const seen = await edge.seen(ended.map(({ key }) => key));
  expect(seen.filter(({ acceptedFromMs }) => acceptedFromMs > 0)).toEqual([]);
  expect((await targets("change.restored")).sort()).toEqual(restored.sort());
  const counted = await Promise.all(survivors.map((replica) => readMetric(replica, "changes_restored_total")));
  expect(counted.reduce((sum, count) => sum + count)).toBe(restored.length);

  // What cannot be made again is listed.
  const env = { LATCHKEY_URL: first.url, LATCHKEY_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const lost = (await succeed(["operator", "lost"], { env })).stdout;
  for (const word of ["api_key.created", created.key_id, "message.sent"]) expect(lost).toContain(word);
  for (const { key_id } of ended) expect(lost).not.toContain(key_id);
  expect(await statusOf(first, created)).toBe(401);
}, 240_000);

// threat: Q13
test("a server that went back without a promotion is refused, also by a process that knows nothing", async () => {
  const first = await fleet.start(ENV);
  const user = await fleet.dashboard();
  const [lost, used] = (await Promise.all([fleet.createKey(first), fleet.createKey(first)])) as [Key, Key];
  for (const key of [lost, used]) expect(await statusOf(first, key)).toBe(200);
  await servers.awaitReplay();
  servers.link.cut();
  expect((await first.call("/api/v1/api-keys/revoke", { key_id: lost.key_id }, user)).status).toBe(200);
  await servers.primary.crash();
  await servers.standby.promote();
  servers.address.redirect(servers.standby.port);
  await expect.poll(() => readMetric(first, "changes_restored_total"), RECOVERY).toBe(1);
  await expect.poll(() => statusOf(first, lost), RECOVERY).toBe(401);

  // The old primary is up again, and the address leads to it. It lacks what was changed on the new one.
  expect((await first.call("/api/v1/api-keys/revoke", { key_id: used.key_id }, user)).status).toBe(200);
  await servers.primary.restart();
  servers.address.redirect(servers.primary.port);
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status, RECOVERY).toBe(503);
  const listed = async () =>
    onServer(withPort(fleet.databaseUrl, servers.primary.port), "select beats from replicas where mended is null");
  await expect.poll(listed, RECOVERY).toHaveLength(1);
  const fresh = await fleet.start(ENV);
  const stop = verifyAll([first, fresh], [lost, used]);
  await sleep(8_000);
  expect(await stop()).toBe(0);
  expect((await fetch(`${fresh.url}/readyz`)).status).toBe(503);
}, 240_000);
