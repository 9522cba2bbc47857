import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { Client } from "pg";
import { scrape, sumOf } from "../../test/harness/scrape.ts";
import { latchkeyRedis } from "../contestants.ts";
import { startLoadGenerator } from "../load/client.ts";
import { machineFacts } from "../machine.ts";
import { PATHS, probe } from "../requests.ts";
import { consumption, type Server, startServer } from "../server.ts";
import { reportingTo, stateOf } from "../state.ts";
import { issueTokens, TOKENS_ENV } from "../tokens.ts";
import { LATCHKEY, startWorld, type World } from "../world.ts";
import { findingsOf } from "./bounds.ts";
import { type Changes, makeChanges } from "./changes.ts";
import type { EdgeSample, ReplicaSample, Rows, Sample, SoakRecord } from "./record.ts";
import { keep, report } from "./report.ts";
import { tableSizesOf } from "./tables.ts";
import { edgeKeysOf, edgeTrafficOf, everyKeyOf, SET, TOKENS_OF_STEP, trafficOf } from "./traffic.ts";

/**
 * `npm run soak`: two replicas on PostgreSQL and Redis, and an edge of one, under mixed load for a long time, with changes of keys beside
 * it. Ends with status 1 if something grew without end, an answer was wrong, or the counted uses do not add up.
 */

const STEPS = 20;
const REQUESTS = numberOf("SOAK_REQUESTS", 2_000_000, STEPS);
const KEYS = numberOf("SOAK_KEYS", 100_000, STEPS);
/** At least so long, however fast the machine is: the change log is purged every ten minutes. */
const MINUTES = numberOf("SOAK_MINUTES", 25, 0);
const REPLICAS = 2;
/** At most, so that the machine can do something else, too. 0: as many as are answered. */
const PER_SECOND = numberOf("SOAK_PER_SECOND", 0, 0);
/** More where each answer waits for a busy machine. */
const CONNECTIONS = numberOf("SOAK_CONNECTIONS", 16, 1);
/** Of the edge's clients, which send a part of the requests. */
const EDGE_CONNECTIONS = Math.ceil(CONNECTIONS / 4);
const EDGE_SHARE = 0.2;
/** At which the edge gets each key once. */
const EDGE_FILLING_STEP = REPLICAS;
const EDGE_TOKEN = "edge-token-of-the-soak-0123456789abcdef";
/** Enough for a step at a hundredth of the usual pace. */
const STEP_SECONDS_MAX = 3_600;
/** Until connections have closed and uses are stored. */
const SETTLE_MS = 3_000;
/** One tenant has all keys. */
const SETTINGS = { TENANT_KEYS_MAX: "1000000", EDGE_TOKEN, ...TOKENS_ENV };
const SOCKETS = ["TCPSocketWrap", "PipeWrap", "TLSWrap"];

interface Measured {
  readonly server: Server;
  /** Where it reports its state. */
  readonly file: string;
}

const isKept = process.argv.includes("--keep");
process.once("SIGINT", () => process.exit(130));
const [generator, edgeGenerator] = [startLoadGenerator(), startLoadGenerator()];
const world = await startWorld(KEYS, KEYS);
const replicas: Measured[] = [];
const edges: Measured[] = [];
try {
  const { args, env } = await latchkeyRedis.command(world);
  for (let n = 0; n < REPLICAS; n++) replicas.push(await startMeasured(`replica-${n}`, { ...env, ...SETTINGS }, args));
  const edge = await startMeasured("edge", { EDGE_UPSTREAM: urlOf(replicas[0]), EDGE_TOKEN }, args);
  edges.push(edge);
  const record = await soak(world, replicas, edge);
  console.log(`\n${report(record)}`);
  if (isKept) keep(record);
  if (findingsOf(record).some(({ holds }) => !holds)) process.exitCode = 1;
} finally {
  // The edge first, which follows a replica.
  for (const { server } of [...edges, ...replicas]) await server.stop();
  for (const { stop } of [generator, edgeGenerator]) stop();
  await world.close();
}

function numberOf(name: string, otherwise: number, least: number): number {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${name} must be a whole number of at least ${least}`);
  return value;
}

/** A process that has answered a key. */
async function startMeasured(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Measured> {
  const file = join(world.folder, `state-${name}`);
  const first = probe("verify", PATHS.verify, { "X-API-Key": world.keys.unlimited[0] ?? "" });
  return { server: await startServer({ ...reportingTo(file, { args, env }), isAnyCore: true }, first), file };
}

function paceOf(share: number): { readonly perSecond?: number } {
  return PER_SECOND === 0 ? {} : { perSecond: PER_SECOND * share };
}

function urlOf(measured: Measured | undefined): string {
  return `http://127.0.0.1:${measured?.server.port}`;
}

async function soak(world: World, replicas: readonly Measured[], edge: Measured): Promise<SoakRecord> {
  const servers = replicas.map(({ server }) => server);
  const targetOf = ({ port }: Server) => ({ host: "127.0.0.1", port });
  const targets = servers.map(targetOf);
  const database = new Client(await world.database(LATCHKEY));
  const redis = new Redis(world.redisUrl);
  await database.connect();
  try {
    const tokens = await issueTokens(await world.database(LATCHKEY), tokenKeysOf(world));
    const auditedBefore = await auditedIn(database, world.keys.tenant);
    const startedAt = performance.now();
    const changes = makeChanges(world, servers, [edge.server]);
    const statuses: Record<string, number> = {};
    const edgeStatuses: Record<string, number> = {};
    const sample = async (): Promise<Sample> => ({
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      ...(await sampleOf(sum(statuses) + sum(edgeStatuses), replicas, database, redis)),
      edge: await edgeSample(edge, sum(edgeStatuses)),
    });
    const samples = [await sample()];
    for (let step = 0; step < STEPS; step++) {
      // First each replica gets each key once, so that what grows after that is not the cache that fills.
      const isFilling = step < replicas.length;
      const isEdgeFilling = step === EDGE_FILLING_STEP;
      await generator.load(isFilling ? everyKeyOf(world.keys.secrets) : trafficOf(world, tokens, step));
      await edgeGenerator.load(isEdgeFilling ? everyKeyOf(edgeKeysOf(world)) : edgeTrafficOf(world, tokens, step));
      const run = {
        ...{ set: SET, targets: isFilling ? targets.slice(step, step + 1) : targets, connections: CONNECTIONS },
        ...paceOf(1 - EDGE_SHARE),
      };
      const ofEdge = {
        ...{ set: SET, targets: [targetOf(edge.server)], connections: EDGE_CONNECTIONS },
        ...paceOf(EDGE_SHARE),
      };
      const requests = Math.ceil(REQUESTS / STEPS);
      const usual = Math.ceil(EDGE_SHARE * requests);
      const edgeRequests = isEdgeFilling ? Math.max(usual, edgeKeysOf(world).length) : usual;
      const seconds = STEP_SECONDS_MAX;
      const [result, edgeResult] = await changes.beside(
        Promise.all([
          // Enough to give each replica each key.
          generator.run({ ...run, requests: isFilling ? Math.max(requests, KEYS) : requests - usual, seconds }),
          edgeGenerator.run({ ...ofEdge, requests: edgeRequests, seconds }),
        ]),
      );
      add(statuses, result.statuses);
      add(edgeStatuses, edgeResult.statuses);
      const dueAt = startedAt + ((step + 1) / STEPS) * MINUTES * 60_000;
      await changes.beside(sleep(Math.max(0, dueAt - performance.now() - SETTLE_MS)));
      await sleep(SETTLE_MS);
      const taken = await sample();
      samples.push(taken);
      console.log(`step ${step + 1} of ${STEPS}, ${result.seconds.toFixed(0)} s: ${JSON.stringify(taken)}`);
    }
    add(statuses, edgeStatuses);
    return {
      commit: execFileSync("git", ["log", "-1", "--abbrev=7", "--format=%h", "--", "src"], { encoding: "utf8" }).trim(),
      date: new Date().toISOString().slice(0, 10),
      machine: machineFacts(),
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      keys: KEYS,
      tokens: tokens.length,
      samples,
      answers: { statuses, outcomes: outcomesOf(statuses, changes, REPLICAS + edges.length) },
      changes: { ...changes.counts, audited: (await auditedIn(database, world.keys.tenant)) - auditedBefore },
      counted: await countedBy(servers, world),
    };
  } finally {
    redis.disconnect();
    await database.end();
  }
}

/** The keys without a limit, in turn, for the tokens of all steps. */
function tokenKeysOf({ keys: { unlimited } }: World): string[] {
  return Array.from({ length: STEPS * TOKENS_OF_STEP }, (_, n) => unlimited[n % unlimited.length] ?? "");
}

/** What the callers expect to be counted. The start of each process presented a key, too. */
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
    tables: await tableSizesOf(database),
  };
}

async function replicaSample(replica: Measured): Promise<ReplicaSample> {
  const records = await recordsOf(replica, "latchkey_key_cache_records");
  return { ...(await processSample(replica)), records };
}

async function processSample({ server, file }: Measured): Promise<ReplicaSample> {
  const { heapBytes, resources } = await stateOf(server, file);
  const { residentBytes } = await consumption([server]);
  const connections = SOCKETS.reduce((all, kind) => all + (resources[kind] ?? 0), 0);
  return { heapBytes, residentBytes, connections, timers: resources.Timeout ?? 0 };
}

async function edgeSample(edge: Measured, requests: number): Promise<EdgeSample> {
  const records = await recordsOf(edge, "latchkey_edge_records");
  return { ...(await processSample(edge)), requests, records };
}

async function recordsOf(measured: Measured, metric: string): Promise<number> {
  return sumOf(await scrape(urlOf(measured)), metric);
}

async function rowsOf(database: Client): Promise<Rows> {
  const { rows } = await database.query(`
    select (select count(*) from replicas)::int as "replicas",
      (select count(*) from key_changes)::int as "keyChanges",
      (select coalesce(extract(epoch from now() - min(changed_at)), 0) from key_changes)::int as "keyChangesSeconds",
      (select count(*) from key_marks)::int as "keyMarks",
      (select count(*) from usage_questions)::int as "usageQuestions",
      (select count(*) from access_tokens)::int as "accessTokens",
      (select count(*) from used_once)::int as "usedOnce"`);
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

function add(statuses: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [status, count] of Object.entries(more)) statuses[status] = (statuses[status] ?? 0) + count;
}

function sum(statuses: Readonly<Record<string, number>>): number {
  return Object.values(statuses).reduce((total, count) => total + count, 0);
}
