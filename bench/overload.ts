import { type Contestant, latchkeyRedis } from "./contestants.ts";
import { type BenchKeys, makeKeys, storeKeys } from "./keys.ts";
import { type LoadGenerator, startLoadGenerator } from "./load/client.ts";
import type { RunResult } from "./load/messages.ts";
import { canPin, leaveServerCore, machineFacts } from "./machine.ts";
import { PATHS, probe, requestSet } from "./requests.ts";
import { type Probe, type Server, startServer } from "./server.ts";
import { markdownTable } from "./table.ts";
import { startWorld, type World } from "./world.ts";

/**
 * `npm run bench:overload`: what one client's load does to others. A polite tenant sends one request after the other, probes and
 * changes of keys come at a fixed pace, and a greedy tenant sends as much as its connections allow.
 */

/** What the greedy tenant does. */
interface Course {
  readonly name: string;
  readonly connections: number;
  /** Whether its requests are denied by their limit. */
  readonly isDenied?: true;
}

const COURSES: readonly Course[] = [
  { name: "no load", connections: 0 },
  { name: "256 connections", connections: 256 },
  { name: "256 connections, denied by their limit", connections: 256, isDenied: true },
  { name: "2,000 connections", connections: 2_000 },
  { name: "no load, right after", connections: 0 },
];
const SECONDS = Number(process.argv[2] ?? 8);
const WARM_UP_SECONDS = 3;
/** Of each of them, while connections are opened. */
const LEAD_IN_SECONDS = 2;
const PROBES_PER_SECOND = 20;
const CHANGES_PER_SECOND = 5;
/** Variations of the settings, for a comparison in one run. */
const CONTESTANTS: readonly Contestant[] = [
  latchkeyRedis,
  {
    ...latchkeyRedis,
    name: "Latchkey, nothing is shed",
    command: (world) => withEnv(world, { OVERLOAD_WAIT_MS: "0" }),
  },
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
  readonly perSecond?: number;
}

leaveServerCore();
process.setMaxListeners(100);
console.log(`${machineFacts()}; ${canPin ? "servers on core 0, everything else off it" : "nothing is pinned"}`);
const world = await startWorld(1_000);
const generators = new Map<string, LoadGenerator>();
try {
  const polite = makeKeys(100);
  await storeKeys({ kind: "postgres", url: await databaseOf(world) }, polite, 100, world.users.oidc);
  for (const contestant of CONTESTANTS) {
    console.log(`\n${contestant.name}, ${SECONDS} s each, of which the first ${LEAD_IN_SECONDS} do not count\n`);
    console.log(await measure(contestant, polite));
  }
} finally {
  for (const generator of generators.values()) generator.stop();
  await world.close();
}

async function measure(contestant: Contestant, polite: BenchKeys): Promise<string> {
  const authorization = `Bearer ${await world.userToken()}`;
  const server = await startServer(await contestant.command(world), verification(polite.unlimited[0]));
  const rows: string[][] = [];
  try {
    const greedyLoad = { name: "greedy", probes: world.keys.unlimited.map(verification) };
    await run(server, { ...greedyLoad, connections: 64 }, WARM_UP_SECONDS);
    const { statuses, seconds } = await run(server, { ...greedyLoad, connections: 64 }, WARM_UP_SECONDS);
    console.log(
      `With 64 connections it serves ${Math.round((statuses[200] ?? 0) / seconds).toLocaleString("en")} a second.\n`,
    );
    for (const course of COURSES) {
      const greedy = course.isDenied ? world.keys.limited.slice(0, 1) : world.keys.unlimited;
      const [load, verifications, probes, changes] = await Promise.all([
        course.connections === 0
          ? undefined
          : run(server, { name: "greedy", probes: greedy.map(verification), connections: course.connections }, SECONDS),
        run(server, { name: "polite", probes: polite.unlimited.map(verification), connections: 1 }, SECONDS),
        run(server, { name: "probes", probes: PROBES, connections: 2, perSecond: PROBES_PER_SECOND }, SECONDS),
        run(server, changesOf(authorization), SECONDS),
      ]);
      rows.push([
        course.name,
        ...(load ? greedyCells(load) : ["", "", "", ""]),
        ...cells(verifications),
        ...cells(probes),
        ...cells(changes),
      ]);
    }
  } finally {
    await server.stop();
  }
  return markdownTable(
    [
      ...["Greedy tenant", "200/s", "429/s", "503/s", "200 p99 ms"],
      ...["polite p50 ms", "p99", "not 200", "probes p50 ms", "p99", "not 200", "changes p50 ms", "p99", "not 200"],
    ],
    rows,
  );
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
  { name, probes, connections, perSecond }: Load,
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
  });
}

function greedyCells({ statuses, seconds, successP99Ms }: RunResult): string[] {
  const rate = (status: string) => Math.round((statuses[status] ?? 0) / seconds).toLocaleString("en");
  return [rate("200"), rate("429"), rate("503"), successP99Ms.toFixed(1)];
}

function cells({ statuses, successP50Ms, successP99Ms }: RunResult): string[] {
  const others = Object.entries(statuses).filter(([status]) => status !== "200");
  return [
    successP50Ms.toFixed(2),
    successP99Ms.toFixed(1),
    others.map(([status, n]) => `${n} x ${status}`).join(" ") || "0",
  ];
}

async function withEnv(world: World, env: Readonly<Record<string, string>>) {
  const command = await latchkeyRedis.command(world);
  return { ...command, env: { ...command.env, ...env } };
}

async function databaseOf(world: World): Promise<string> {
  const { env } = await latchkeyRedis.command(world);
  return env.DATABASE_URL ?? "";
}
