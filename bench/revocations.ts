import { setTimeout as sleep } from "node:timers/promises";
import { redisBefore } from "./before.ts";
import { type Contestant, latchkeyRedis } from "./contestants.ts";
import { addRevocableKeys, type RevocableKey } from "./keys.ts";
import type { LoadGenerator } from "./load/client.ts";
import type { RunResult } from "./load/messages.ts";
import { loadRequests, runOf, WARM_UP_SECONDS } from "./measure.ts";
import { credentialHeaders, PATHS, probe } from "./requests.ts";
import { type Server, startServer, statusOf } from "./server.ts";
import { markdownTable } from "./table.ts";
import type { World } from "./world.ts";

/** How long a change of a key takes until its response, on replicas that verify other keys meanwhile. */

export const REVOCATION_CONTESTANTS: readonly Contestant[] = [latchkeyRedis, redisBefore];

/** One row of the table for each contestant. */
interface Course {
  readonly replicas: number;
  readonly changesPerSecond: number;
  /** Whether the last replica ends by SIGKILL just before the first change. */
  readonly killsOne: boolean;
}

export interface RevocationSettings {
  /** Of the verifications beside the changes. */
  readonly connections: number;
  /** Groups of processes of each contestant, one after the other. */
  readonly processes: number;
  /** For how long changes are sent in each course. */
  readonly seconds: number;
}

/** What was seen of one group of processes. */
interface Observed {
  /** From the call to the response, in the order of the calls. */
  readonly responsesMs: readonly number[];
  /** Calls with another response than 200. */
  readonly failed: number;
  /** Verifications that admitted a key after the response to its revocation. */
  readonly admitted: number;
  readonly background: RunResult;
}

const COURSES: readonly Course[] = [
  ...[1, 2, 4].flatMap((replicas) =>
    [20, 5].map((changesPerSecond) => ({ replicas, changesPerSecond, killsOne: false })),
  ),
  { replicas: 2, changesPerSecond: 5, killsOne: true },
];
/** Over all replicas: a tenth of what the servers' core can do. */
export const BACKGROUND_PER_SECOND = 2_000;
/** For each replica, none of which counts: its first one fetches the key set of the users' tokens. */
const WARM_UP_CHANGES = 5;
const RESPONSE_TIMEOUT_MS = 30_000;
const CONCURRENT_CALLS = 16;
const COLUMNS = [
  ...["", "replicas", "changes/s", "changes", "first ms", "p50 ms", "p99 ms", "max ms", "failed", "admitted after"],
  ...["others/s", "their p99 ms", "not 200"],
];

/** Measures all courses with the contestants in turn. Answers a table. */
export async function revocations(
  contestants: readonly Contestant[],
  world: World,
  generator: LoadGenerator,
  settings: RevocationSettings,
): Promise<string> {
  const rows: string[][] = [];
  for (const course of COURSES) {
    const observed = new Map<Contestant, Observed[]>(contestants.map((contestant) => [contestant, []]));
    for (let n = 0; n < settings.processes; n++) {
      for (const [contestant, all] of observed) all.push(await observe(contestant, course, world, generator, settings));
    }
    for (const [contestant, all] of observed) rows.push(row(contestant, course, all));
  }
  return markdownTable(COLUMNS, rows);
}

async function observe(
  contestant: Contestant,
  { replicas, changesPerSecond, killsOne }: Course,
  world: World,
  generator: LoadGenerator,
  { connections, seconds }: RevocationSettings,
): Promise<Observed> {
  const command = await contestant.command(world);
  const count = Math.ceil(seconds * changesPerSecond);
  const warmUps = WARM_UP_CHANGES * replicas;
  const keys = await addRevocableKeys(command.env.DATABASE_URL ?? "", world.keys.tenant, count + warmUps);
  const headers = credentialHeaders(world, "unlimited-secret", 1);
  const servers: Server[] = [];
  try {
    while (servers.length < replicas) servers.push(await startServer(command, verification(headers[0] ?? {})));
    const scenario = { question: "verify", credentials: "unlimited-secret" } as const;
    await loadRequests(contestant, scenario, world, headers, generator);
    const background = (to: readonly Server[], load: { seconds: number }) => ({
      ...runOf({ contestant, servers: to }, { connections, ...load }),
      perSecond: BACKGROUND_PER_SECOND,
    });
    await generator.run(background(servers, { seconds: WARM_UP_SECONDS }));
    await verifyOnEach(keys, servers);
    const authorization = `Bearer ${await world.userToken()}`;
    await revokeAll(keys.slice(count), servers, changesPerSecond, authorization);
    const alive = killsOne ? servers.slice(0, -1) : servers;
    for (const { pid } of servers.slice(alive.length)) process.kill(pid, "SIGKILL");
    const [others, changes] = await Promise.all([
      generator.run(background(alive, { seconds })),
      revokeAll(keys.slice(0, count), alive, changesPerSecond, authorization),
    ]);
    return {
      responsesMs: changes.map(({ ms }) => ms),
      failed: changes.filter(({ status }) => status !== 200).length,
      admitted: changes.reduce((sum, change) => sum + change.admitted, 0),
      background: others,
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function verification(headers: Readonly<Record<string, string>>) {
  return probe("verify", PATHS.verify, headers);
}

/** So that each replica has cached all keys. */
async function verifyOnEach(keys: readonly RevocableKey[], servers: readonly Server[]): Promise<void> {
  const calls = keys.flatMap(({ secret }) => servers.map(({ port }) => ({ secret, port })));
  for (let n = 0; n < calls.length; n += CONCURRENT_CALLS) {
    const part = calls.slice(n, n + CONCURRENT_CALLS);
    const statuses = await Promise.all(
      part.map(({ secret, port }) => statusOf(port, verification({ "X-API-Key": secret }))),
    );
    if (statuses.some((status) => status !== 200)) throw new Error(`a new key was answered ${statuses.join(" ")}`);
  }
}

interface Change {
  readonly ms: number;
  readonly status: number;
  readonly admitted: number;
}

/** Each call at its time, whether or not earlier ones have their responses, on the servers in turn. */
function revokeAll(
  keys: readonly RevocableKey[],
  servers: readonly Server[],
  changesPerSecond: number,
  authorization: string,
): Promise<Change[]> {
  const startedAt = performance.now();
  return Promise.all(
    keys.map(async (key, n) => {
      await sleep(Math.max(0, startedAt + (1_000 * n) / changesPerSecond - performance.now()));
      return revoke(key, n, servers, authorization);
    }),
  );
}

async function revoke(
  { id, secret }: RevocableKey,
  n: number,
  servers: readonly Server[],
  authorization: string,
): Promise<Change> {
  const sentAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${servers[n % servers.length]?.port}/api/v1/api-keys/revoke`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: authorization },
    body: JSON.stringify({ key_id: id }),
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  const ms = performance.now() - sentAt;
  if (response.status !== 200) return { ms, status: response.status, admitted: 0 };
  const after = await Promise.all(servers.map(({ port }) => statusOf(port, verification({ "X-API-Key": secret }))));
  return { ms, status: response.status, admitted: after.filter((status) => status === 200).length };
}

function row(contestant: Contestant, course: Course, all: readonly Observed[]): string[] {
  const responses = all.flatMap(({ responsesMs }) => responsesMs);
  const sorted = responses.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  const first = Math.max(...all.map(({ responsesMs: [ms = Number.NaN] }) => ms));
  const sum = (value: (one: Observed) => number) => all.reduce((total, one) => total + value(one), 0);
  const others = sum(({ background }) => answersOf(background));
  return [
    contestant.name,
    course.killsOne ? `${course.replicas}, one killed` : `${course.replicas}`,
    `${course.changesPerSecond}`,
    `${responses.length}`,
    ...[first, at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(1)),
    `${sum(({ failed }) => failed)}`,
    `${sum(({ admitted }) => admitted)}`,
    Math.round(others / sum(({ background }) => background.seconds)).toLocaleString("en"),
    Math.max(...all.map(({ background }) => background.p99Ms)).toFixed(2),
    `${others - sum(({ background }) => background.statuses["200"] ?? 0)}`,
  ];
}

function answersOf({ statuses }: RunResult): number {
  return Object.values(statuses).reduce((total, count) => total + count, 0);
}
