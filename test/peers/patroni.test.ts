import { afterAll, beforeAll, expect, test } from "vitest";
import { BALANCERS } from "../deploy/balancers.ts";
import { readText } from "../deploy/files.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { onServer } from "../leases-faults/two-servers.ts";
import { runProxy } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { type Member, type PatroniCluster, startPatroni } from "./patroni.ts";
import { type Load, startLoad } from "./patroni-load.ts";

// Three PostgreSQL servers under Patroni as docs/guides/deploy.md sets it, and three replicas of the service.

const REPLICAS = 3;
const WAIT = { timeout: 120_000, interval: 20 };

/** What ends a primary. */
const EVENTS = {
  async switchover(primary: Member) {
    await cluster.patronictl("switchover", "--leader", primary.name, "--force");
  },
  /** As if its host had lost power. */
  async "kill -9"(primary: Member) {
    await primary.kill();
  },
  /** Its PostgreSQL goes on as a second primary, whose commits no standby confirms. */
  async "Patroni killed"(primary: Member) {
    await primary.killPatroni();
  },
} as const;
type Kind = keyof typeof EVENTS;
const KINDS = Object.keys(EVENTS) as Kind[];

let cluster: PatroniCluster;
let fleet: Fleet;

beforeAll(async () => {
  cluster = await startPatroni();
  fleet = await startFleet("", cluster.urlOf(await cluster.primary()));
}, 600_000);
afterAll(async () => {
  // The server on which its database was made may be a standby now; all of them go.
  await fleet?.close().catch(() => undefined);
  await cluster?.stop();
}, 60_000);

/** The times of one event in ms. */
interface Row {
  readonly event: string;
  /** Until the old primary takes no writes, and then until another one does. */
  readonly gone: number;
  readonly promoted: number;
  /** Then until each replica verifies a key that it had not cached. */
  readonly verified: number;
  /** Then until a change that began after the promotion is acknowledged. */
  readonly changed: number;
  /** Verifications of cached keys, and those without a verdict. */
  readonly verifications: number;
  readonly lost: number;
}

/** One event, and all that must hold after it. */
async function failOver(kind: Kind, load: Load, replicas: readonly Replica[]): Promise<Row> {
  const old = await cluster.primary();
  const before = load.figures();
  let lastMs = performance.now();
  const lap = () => {
    const nowMs = performance.now();
    const ms = Math.round(nowMs - lastMs);
    lastMs = nowMs;
    return ms;
  };
  const event = EVENTS[kind](old);
  await expect.poll(() => old.isPrimary(), WAIT).toBe(false);
  const gone = lap();
  const primary = await cluster.primary();
  const promoted = lap();
  const promotedMs = lastMs;
  const key = load.freshKey();
  await Promise.all(replicas.map((replica) => expect.poll(() => load.verify(replica, key), WAIT).toBe(200)));
  const verified = lap();
  await expect.poll(() => load.hasChangedSince(promotedMs), WAIT).toBe(true);
  const changed = lap();
  // The caches are in use again: what is lost from here on belongs to no failover.
  const { lost } = load.figures();
  await event;
  if (kind !== "switchover") {
    await old.kill();
    await old.start();
  }
  await cluster.settled();
  await expectAllKept(primary, load);
  const after = load.figures();
  expect(after.lost, `verifications lost after ${kind} was over`).toBe(lost);
  const verifications = after.verified - before.verified;
  const names = `${kind}: ${old.name} to ${primary.name}`;
  return { event: names, gone, promoted, verified, changed, verifications, lost: lost - before.lost };
}

/** The service's database on one of the servers. */
function databaseOn(member: Member): string {
  return cluster.urlOf(member).replace(/\/postgres$/, new URL(fleet.databaseUrl).pathname);
}

/** Whatever was acknowledged is in the database of the new primary. */
async function expectAllKept(primary: Member, load: Load): Promise<void> {
  const { created, revoked } = load.acknowledged();
  const rows = await onServer(databaseOn(primary), "select key_id, revoked_at is not null as is_revoked from api_keys");
  const isRevoked = new Map(rows.map(({ key_id, is_revoked }) => [key_id, is_revoked]));
  expect(created.filter((id) => !isRevoked.has(id))).toEqual([]);
  expect(revoked.filter((id) => isRevoked.get(id) !== true)).toEqual([]);
}

/** Returns the suite's figures. */
async function drill(databaseUrl: string, kinds: readonly Kind[]): Promise<string> {
  const starts = Array.from({ length: REPLICAS }, () => fleet.start({ DATABASE_URL: databaseUrl }));
  const replicas = await Promise.all(starts);
  const load = await startLoad(fleet, replicas, kinds.length);
  const rows: Row[] = [];
  try {
    for (const kind of kinds) rows.push(await failOver(kind, load, replicas));
  } catch (err) {
    console.log(await cluster.logs());
    throw err;
  } finally {
    await load.stop();
    console.table(rows);
  }
  const { stale, denied } = load.figures();
  expect({ stale, denied }).toEqual({ stale: 0, denied: 0 });
  await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
  const { created, revoked } = load.acknowledged();
  const longest = (name: "promoted" | "verified") => (Math.max(...rows.map((row) => row[name])) / 1_000).toFixed(1);
  return `${kinds.length} failovers: a primary within ${longest("promoted")} s, verified ${longest("verified")} s later, 0 of ${created.length + revoked.length} changes lost`;
}

/** Whether so many connections in turn lead to the primary. */
async function areOfPrimary(url: string, connections: number): Promise<boolean> {
  for (let n = 0; n < connections; n++) {
    const [row] = await onServer(url, "select pg_is_in_recovery() as is_standby").catch(() => []);
    if (row?.is_standby !== false) return false;
  }
  return true;
}

/** `fleet.databaseUrl` with other hosts. */
function databaseAt(hosts: string): string {
  const url = new URL(fleet.databaseUrl);
  return url.href.replace(url.host, hosts);
}

// threat: H8
test("ten switchovers and failovers under load lose no acknowledged change, and replicas with a list of hosts recover by themselves", async ({
  task,
}) => {
  const hosts = cluster.members.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const kinds = Array.from({ length: 10 }, (_, n) => KINDS[n % KINDS.length] as Kind);
  task.meta.figures = await drill(`${databaseAt(hosts)}?target_session_attrs=read-write`, kinds);
}, 1_800_000);

test("the same holds behind HAProxy with its configuration for PostgreSQL", async ({ task }) => {
  const port = await freePort();
  const source = await readText("deploy/haproxy/postgresql.cfg");
  const proxy = await runProxy(BALANCERS.HAProxy.kind, port, async () =>
    cluster.members.reduce(
      (text, { name, port, apiPort }) =>
        text.replace(`${name}.example.com:5432 check port 8008`, `127.0.0.1:${port} check port ${apiPort}`),
      source.replace("bind :5432", `bind 127.0.0.1:${port}`),
    ),
  );
  try {
    // Until its first checks it spreads connections over all servers.
    await expect.poll(() => areOfPrimary(databaseAt(`127.0.0.1:${port}`), 2 * cluster.members.length), WAIT).toBe(true);
    task.meta.figures = `behind HAProxy: ${await drill(databaseAt(`127.0.0.1:${port}`), ["switchover", "kill -9"])}`;
  } finally {
    await proxy.stop();
  }
}, 600_000);

test("the runbooks' statements run on each server, and patronictl names the roles that they name", async () => {
  const pages = ["LatchkeyPostgresFailedOver", "LatchkeyHistoryRefused", "LatchkeyStandbyAway"];
  const texts = await Promise.all(pages.map((page) => readText(`docs/runbooks/${page}.md`)));
  const statements = texts.flatMap((text) =>
    Array.from(text.matchAll(/`((?:select|show) [^`]+)`/g), ([, sql = ""]) => sql),
  );
  expect(statements.length).toBeGreaterThan(5);
  for (const member of cluster.members)
    for (const statement of statements) await onServer(databaseOn(member), statement);
  const list = await cluster.patronictl("list");
  expect(list.match(/Leader|Quorum Standby/g)?.toSorted()).toEqual(["Leader", "Quorum Standby", "Quorum Standby"]);
});
