import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { Client } from "pg";
import { latchkeyRedis } from "../contestants.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/client.ts";
import { machineFacts } from "../machine.ts";
import { PATHS, probe } from "../requests.ts";
import { consumption, type Server, startServer } from "../server.ts";
import { reportingTo, stateOf } from "../state.ts";
import { LATCHKEY, startWorld, type World } from "../world.ts";
import { findingsOf } from "./bounds.ts";
import { type Changes, makeChanges } from "./changes.ts";
import type { ReplicaSample, Rows, Sample, SoakRecord } from "./record.ts";
import { keep, report } from "./report.ts";
import { everyKeyOf, SET, trafficOf } from "./traffic.ts";

/**
 * `npm run soak`: two replicas on PostgreSQL and Redis under mixed load for a long time, with changes of keys beside it. Ends
 * with status 1 if something grew without end, an answer was wrong, or the counted uses do not add up.
 */

const STEPS = 20;
const REQUESTS = numberOf("SOAK_REQUESTS", 2_000_000, STEPS);
const KEYS = numberOf("SOAK_KEYS", 100_000, STEPS);
/** At least so long, however fast the machine is: the change log is purged every ten minutes. */
const MINUTES = numberOf("SOAK_MINUTES", 25, 0);
const REPLICAS = 2;
const CONNECTIONS = 16;
/** Enough for a step at a hundredth of the usual pace. */
const STEP_SECONDS_MAX = 3_600;
/** Until connections have closed and uses are stored. */
const SETTLE_MS = 3_000;
/** One tenant has all keys. */
const SETTINGS = { TENANT_KEYS_MAX: "1000000" };
const SOCKETS = ["TCPSocketWrap", "PipeWrap", "TLSWrap"];

interface Measured {
  readonly server: Server;
  /** Where it reports its state. */
  readonly file: string;
}

const isKept = process.argv.includes("--keep");
process.once("SIGINT", () => process.exit(130));
const generator = startLoadGenerator();
const world = await startWorld(KEYS, KEYS);
const replicas: Measured[] = [];
try {
  const command = await latchkeyRedis.command(world);
  const first = probe("verify", PATHS.verify, { "X-API-Key": world.keys.unlimited[0] ?? "" });
  for (let n = 0; n < REPLICAS; n++) {
    const file = join(world.folder, `state-${n}`);
    const { args, env } = reportingTo(file, command);
    const server = await startServer({ args, env: { ...env, ...SETTINGS }, isAnyCore: true }, first);
    replicas.push({ server, file });
  }
  const record = await soak(world, generator, replicas);
  console.log(`\n${report(record)}`);
  if (isKept) keep(record);
  if (findingsOf(record).some(({ holds }) => !holds)) process.exitCode = 1;
} finally {
  await Promise.all(replicas.map(({ server }) => server.stop()));
  generator.stop();
  await world.close();
}

function numberOf(name: string, otherwise: number, least: number): number {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${name} must be a whole number of at least ${least}`);
  return value;
}

async function soak(world: World, generator: LoadGenerator, replicas: readonly Measured[]): Promise<SoakRecord> {
  const servers = replicas.map(({ server }) => server);
  const targets = servers.map(({ port }) => ({ host: "127.0.0.1", port }));
  const database = new Client(await world.database(LATCHKEY));
  const redis = new Redis(world.redisUrl);
  await database.connect();
  try {
    const startedAt = performance.now();
    const changes = makeChanges(world, servers);
    const statuses: Record<string, number> = {};
    const samples = [await sampleOf(0, replicas, database, redis)];
    for (let step = 0; step < STEPS; step++) {
      // First each replica gets each key once, so that what grows after that is not the cache that fills.
      const isFilling = step < replicas.length;
      await generator.load(isFilling ? everyKeyOf(world) : trafficOf(world, step));
      const run = { set: SET, targets: isFilling ? targets.slice(step, step + 1) : targets, connections: CONNECTIONS };
      const requests = Math.ceil(REQUESTS / STEPS);
      const result = await changes.beside(generator.run({ ...run, requests, seconds: STEP_SECONDS_MAX }));
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
      const dueAt = startedAt + ((step + 1) / STEPS) * MINUTES * 60_000;
      await changes.beside(sleep(Math.max(0, dueAt - performance.now() - SETTLE_MS)));
      await sleep(SETTLE_MS);
      const sample = await sampleOf(sum(statuses), replicas, database, redis);
      samples.push(sample);
      console.log(`step ${step + 1} of ${STEPS}, ${result.seconds.toFixed(0)} s: ${JSON.stringify(sample)}`);
    }
    return {
      commit: execFileSync("git", ["log", "-1", "--abbrev=7", "--format=%h", "--", "src"], { encoding: "utf8" }).trim(),
      date: new Date().toISOString().slice(0, 10),
      machine: machineFacts(),
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      keys: KEYS,
      samples,
      answers: { statuses, outcomes: outcomesOf(statuses, changes, REPLICAS) },
      changes: { ...changes.counts, audited: await auditedIn(database, world.keys.tenant) },
      counted: await countedBy(servers, world),
    };
  } finally {
    redis.disconnect();
    await database.end();
  }
}

/** What the callers expect to be counted. The start of each replica presented a key, too. */
function outcomesOf(statuses: Readonly<Record<string, number>>, changes: Changes, starts: number) {
  const outcomes: Record<string, number> = { ...changes.outcomes };
  const add = (outcome: string, count = 0) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  };
  add("successful", (statuses["200"] ?? 0) + starts);
  add("rate_limited", statuses["429"]);
  add("api_key_revoked", statuses["401"]);
  return outcomes;
}

async function sampleOf(
  requests: number,
  replicas: readonly Measured[],
  database: Client,
  redis: Redis,
): Promise<Sample> {
  const { rows } = await database.query(
    "select count(*)::int as sessions from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return {
    requests,
    replicas: await Promise.all(replicas.map(replicaSample)),
    sessions: rows[0].sessions,
    redisKeys: await redis.dbsize(),
    rows: await rowsOf(database),
  };
}

async function replicaSample({ server, file }: Measured): Promise<ReplicaSample> {
  const { heapBytes, resources } = await stateOf(server, file);
  const { residentBytes } = await consumption([server]);
  const connections = SOCKETS.reduce((all, kind) => all + (resources[kind] ?? 0), 0);
  return { heapBytes, residentBytes, connections, timers: resources.Timeout ?? 0 };
}

async function rowsOf(database: Client): Promise<Rows> {
  const { rows } = await database.query(`
    select (select count(*) from replicas)::int as "replicas",
      (select count(*) from key_changes)::int as "keyChanges",
      (select coalesce(extract(epoch from now() - min(changed_at)), 0) from key_changes)::int as "keyChangesSeconds",
      (select count(*) from key_marks)::int as "keyMarks",
      (select count(*) from usage_questions)::int as "usageQuestions"`);
  return rows[0];
}

async function auditedIn(database: Client, tenant: string): Promise<number> {
  const { rows } = await database.query("select count(*)::int as events from audit_events where tenant_id = $1", [
    tenant,
  ]);
  return rows[0].events;
}

/** What the service says of the tenant's keys. It includes every request that has been answered. */
async function countedBy(servers: readonly Server[], world: World): Promise<Record<string, number>> {
  const response = await fetch(`http://127.0.0.1:${servers[0]?.port}/api/v1/usage/get`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${await world.userToken()}` },
    body: JSON.stringify({ step: "hour" }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the usage was answered ${response.status}: ${text}`);
  const { series } = JSON.parse(text) as { series: { successful: number; denied: Record<string, number> }[] };
  const counted: Record<string, number> = {};
  for (const { successful, denied } of series) {
    for (const [outcome, count] of Object.entries({ successful, ...denied }))
      counted[outcome] = (counted[outcome] ?? 0) + count;
  }
  return counted;
}

function sum(statuses: Readonly<Record<string, number>>): number {
  return Object.values(statuses).reduce((total, count) => total + count, 0);
}
