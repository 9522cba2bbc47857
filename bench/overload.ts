import { setTimeout as sleep } from "node:timers/promises";
import { type Burst, type Connected, openClients } from "./at-once.ts";
import { type Contestant, latchkeyRedis } from "./contestants.ts";
import { type BenchKeys, makeKeys, storeKeys } from "./keys.ts";
import { type LoadGenerator, startLoadGenerator } from "./load/client.ts";
import type { RunResult } from "./load/messages.ts";
import { canPin, leaveServerCore, load, machineFacts } from "./machine.ts";
import { PATHS, probe, requestSet } from "./requests.ts";
import { type Probe, type Server, startServer } from "./server.ts";
import { markdownTable } from "./table.ts";
import { startWorld, type World } from "./world.ts";

/**
 * `npm run bench:overload`: bursts and standing load in one run, because what helps with one harms the other. A burst is sent to a fresh
 * process and again. Under a standing load a polite tenant sends one request after the other, probes and changes of keys come at a fixed
 * pace, and a greedy tenant sends as much as its connections allow. Ends with the aims of ADR 49, and whether each is met.
 */

/** What the greedy tenant does. */
interface Course {
  readonly name: string;
  readonly connections: number;
  /** Whether its requests are denied by their limit. */
  readonly isDenied?: true;
  /** All together, from clients that give up after a second. */
  readonly perSecond?: number;
}

/** What others see of a course, and how much the greedy tenant is served. */
interface Outcome {
  readonly greedy: RunResult | undefined;
  readonly polite: RunResult;
  readonly probes: RunResult;
  readonly changes: RunResult;
  /** Of a burst one second after the load. */
  readonly after: Burst;
}

const BURSTS = [50, 200, 1_000];
const CONNECTED: readonly Connected[] = ["kept", "new", "HTTP/2"];
const STANDING: Course = { name: "2,000 connections", connections: 2_000 };
const IMPATIENT: Course = { name: "4,000 a second", connections: 4_000, perSecond: 4_000 };
const COURSES: readonly Course[] = [
  { name: "no load", connections: 0 },
  { name: "256 connections", connections: 256 },
  { name: "256 connections, denied by their limit", connections: 256, isDenied: true },
  STANDING,
  IMPATIENT,
];
const SECONDS = Number(process.argv[2] ?? 8);
const WARM_UP_SECONDS = 3;
/** Of each of them, while connections are opened. */
const LEAD_IN_SECONDS = 2;
const GIVE_UP_MS = 1_000;
const PROBES_PER_SECOND = 20;
const CHANGES_PER_SECOND = 5;
const UNBOUNDED = "Latchkey, nothing is shed";
/** Variations of the settings, for a comparison in one run. */
const CONTESTANTS: readonly Contestant[] = [
  latchkeyRedis,
  { ...latchkeyRedis, name: UNBOUNDED, command: (world) => withEnv(world, { OVERLOAD_WAIT_MS: "0" }) },
];

const PROBES: readonly Probe[] = ["/healthz", "/readyz"].map((path) => ({
  method: "GET",
  path,
  headers: {},
  body: null,
}));

interface Load {
  readonly name: string;
  readonly probes: readonly Probe[];
  readonly connections: number;
  readonly perSecond?: number | undefined;
  readonly giveUpMs?: number;
}

leaveServerCore();
process.setMaxListeners(100);
console.log(
  `${machineFacts()}; ${canPin ? "servers on core 0, everything else off it" : "nothing is pinned"}; ${load()}`,
);
const world = await startWorld(1_000);
const generators = new Map<string, LoadGenerator>();
try {
  const polite = makeKeys(100);
  await storeKeys({ kind: "postgres", url: await databaseOf(world) }, polite, 100, world.users.oidc);
  const refusedOfBursts = await measureBursts(polite);
  const outcomes = new Map<string, ReadonlyMap<Course, Outcome>>();
  for (const contestant of CONTESTANTS) {
    console.log(`\n${contestant.name}, ${SECONDS} s each, of which the first ${LEAD_IN_SECONDS} do not count\n`);
    outcomes.set(contestant.name, await measureLoad(contestant, polite));
  }
  console.log(`\n${aims(refusedOfBursts, outcomes)}\n${load()}`);
} finally {
  for (const generator of generators.values()) generator.stop();
  await world.close();
}

/** Returns how many requests of bursts were not served. */
async function measureBursts(polite: BenchKeys): Promise<number> {
  const rows: string[][] = [];
  let refused = 0;
  for (const count of BURSTS)
    for (const connected of CONNECTED) {
      const requests = burstOf(count, polite);
      const server = await startServer(await latchkeyRedis.command(world), verification(polite.unlimited[0]));
      const clients = await openClients(server.port, connected, count);
      const bursts = [await clients.send(requests), await clients.send(requests)];
      clients.close();
      await server.stop();
      for (const { statuses } of bursts) refused += count - (statuses[200] ?? 0);
      rows.push([String(count), connected, ...bursts.flatMap(burstCells)]);
    }
  console.log("\nBursts\n");
  console.log(markdownTable(["Requests", "connections", "cold", "last ms", "warm", "last ms"], rows));
  return refused;
}

async function measureLoad(contestant: Contestant, polite: BenchKeys): Promise<ReadonlyMap<Course, Outcome>> {
  const authorization = `Bearer ${await world.userToken()}`;
  const server = await startServer(await contestant.command(world), verification(polite.unlimited[0]));
  const outcomes = new Map<Course, Outcome>();
  try {
    const greedyLoad = { name: "greedy", probes: world.keys.unlimited.map(verification) };
    await run(server, { ...greedyLoad, connections: 64 }, WARM_UP_SECONDS);
    const { statuses, seconds } = await run(server, { ...greedyLoad, connections: 64 }, WARM_UP_SECONDS);
    console.log(`With 64 connections it serves ${whole((statuses[200] ?? 0) / seconds)} a second.\n`);
    for (const course of COURSES) outcomes.set(course, await measureCourse(server, course, polite, authorization));
  } finally {
    await server.stop();
  }
  const rows = [...outcomes].map(([{ name }, outcome]) => [name, ...outcomeCells(outcome)]);
  const titles = ["200/s", "429/s", "503/s", "gave up/s", "200 p99 ms", "polite p50 ms", "p99", "not 200"];
  const others = ["probes p50 ms", "p99", "not 200", "changes p50 ms", "p99", "not 200", "1 s later"];
  console.log(markdownTable(["Greedy tenant", ...titles, ...others], rows));
  return outcomes;
}

async function measureCourse(server: Server, course: Course, polite: BenchKeys, authorization: string) {
  const { connections, perSecond, isDenied } = course;
  const keys = isDenied ? world.keys.limited.slice(0, 1) : world.keys.unlimited;
  const impatience = perSecond === undefined ? {} : { perSecond, giveUpMs: GIVE_UP_MS };
  const greedyLoad = { name: "greedy", probes: keys.map(verification), connections, ...impatience };
  const [greedy, verifications, probes, changes] = await Promise.all([
    connections === 0 ? undefined : run(server, greedyLoad, SECONDS),
    run(server, { name: "polite", probes: polite.unlimited.map(verification), connections: 1 }, SECONDS),
    run(server, { name: "probes", probes: PROBES, connections: 2, perSecond: PROBES_PER_SECOND }, SECONDS),
    run(server, changesOf(authorization), SECONDS),
  ]);
  await sleep(1_000);
  const clients = await openClients(server.port, "new", 0);
  const after = await clients.send(burstOf(Math.max(...BURSTS), polite));
  return { greedy, polite: verifications, probes, changes, after };
}

/** Of two tenants. */
function burstOf(count: number, polite: BenchKeys): Probe[] {
  const keys = [polite.unlimited, world.keys.unlimited];
  return Array.from({ length: count }, (_, n) => verification(keys[n % 2]?.[n % 1_000]));
}

function verification(secret: string | undefined): Probe {
  return probe("verify", PATHS.verify, { "X-API-Key": secret ?? "" });
}

function changesOf(authorization: string): Load {
  const headers = { "Content-Type": "application/json", authorization };
  const body = JSON.stringify({ name: "overload", permissions: ["conversations:read"] });
  const create: Probe = { method: "POST", path: "/api/v1/api-keys/create", headers, body };
  return { name: "changes", probes: [create], connections: CHANGES_PER_SECOND, perSecond: CHANGES_PER_SECOND };
}

/** Each load has a process of its own, so that a slow one delays no other. */
async function run(
  server: Server,
  { name, probes, connections, perSecond, giveUpMs }: Load,
  seconds: number,
): Promise<RunResult> {
  const generator = generators.get(name) ?? startLoadGenerator();
  generators.set(name, generator);
  await generator.load(requestSet(name, probes, "random"));
  const targets = [{ host: "127.0.0.1", port: server.port }];
  return generator.run({
    set: name,
    targets,
    connections,
    seconds,
    leadInSeconds: LEAD_IN_SECONDS,
    ...(perSecond && { perSecond }),
    ...(giveUpMs && { giveUpMs }),
  });
}

function burstCells({ statuses, lastMs }: Burst): string[] {
  const served = Object.keys(statuses).every((status) => status === "200");
  return [served ? "all served" : notServed(statuses), whole(lastMs)];
}

function outcomeCells({ greedy, polite, probes, changes, after }: Outcome): string[] {
  return [
    ...(greedy ? greedyCells(greedy) : ["", "", "", "", ""]),
    ...[polite, probes, changes].flatMap(cells),
    notServed(after.statuses),
  ];
}

function greedyCells({ statuses, gaveUp, seconds, successP99Ms }: RunResult): string[] {
  const rate = (count = 0) => whole(count / seconds);
  return [rate(statuses["200"]), rate(statuses["429"]), rate(statuses["503"]), rate(gaveUp), successP99Ms.toFixed(1)];
}

function cells({ statuses, successP50Ms, successP99Ms }: RunResult): string[] {
  return [successP50Ms.toFixed(2), successP99Ms.toFixed(1), notServed(statuses)];
}

function notServed(statuses: Readonly<Record<string, number>>): string {
  const others = Object.entries(statuses).filter(([status]) => status !== "200");
  return others.map(([status, n]) => `${n} x ${status === "0" ? "none" : status}`).join(" ") || "0";
}

/** The aims of ADR 49, and what was reached. */
function aims(refusedOfBursts: number, outcomes: ReadonlyMap<string, ReadonlyMap<Course, Outcome>>): string {
  const outcomeOf = (contestant: string, course: Course): Outcome => {
    const found = outcomes.get(contestant)?.get(course);
    if (found === undefined) throw new Error(`${course.name} was not measured`);
    return found;
  };
  const standing = outcomeOf(latchkeyRedis.name, STANDING);
  const impatient = outcomeOf(latchkeyRedis.name, IMPATIENT).greedy;
  const served = servedPerSecond(standing) / servedPerSecond(outcomeOf(UNBOUNDED, STANDING));
  const answered = (impatient?.statuses["200"] ?? 0) / countOf(impatient);
  const later = [...(outcomes.get(latchkeyRedis.name)?.values() ?? [])].map(({ after }) => after.statuses[503] ?? 0);
  const aim = (what: string, reached: string, isMet: boolean) => [what, reached, isMet ? "yes" : "no"];
  const [polite, probes] = [standing.polite.successP99Ms, standing.probes.successP99Ms];
  return markdownTable(
    ["Aim", "reached", "met"],
    [
      aim("requests of bursts that are not served: 0", whole(refusedOfBursts), refusedOfBursts === 0),
      aim("beside 2,000 connections: another tenant's p99 at most 100 ms", `${polite.toFixed(1)} ms`, polite <= 100),
      aim("a probe's p99 at most 150 ms", `${probes.toFixed(1)} ms`, probes <= 150),
      aim("at least 70 % of what is served without shedding", percent(served), served >= 0.7),
      aim("at 4,000 a second: at least 95 % answered within 1 s", percent(answered), answered >= 0.95),
      aim(
        "503 one second after a load: 0",
        whole(Math.max(...later)),
        later.every((count) => count === 0),
      ),
    ],
  );
}

function servedPerSecond({ greedy }: Outcome): number {
  return greedy === undefined ? 0 : (greedy.statuses["200"] ?? 0) / greedy.seconds;
}

function countOf(result: RunResult | undefined): number {
  return Object.values(result?.statuses ?? {}).reduce((sum, count) => sum + count, result?.gaveUp ?? 0);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(0)} %`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

async function withEnv(target: World, env: Readonly<Record<string, string>>) {
  const command = await latchkeyRedis.command(target);
  return { ...command, env: { ...command.env, ...env } };
}

async function databaseOf(target: World): Promise<string> {
  const { env } = await latchkeyRedis.command(target);
  return env.DATABASE_URL ?? "";
}
