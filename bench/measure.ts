import { setTimeout as sleep } from "node:timers/promises";
import { makeSecret } from "../src/domain/credentials/secret.ts";
import { admittedOfBurst } from "./burst.ts";
import type { Contestant } from "./contestants.ts";
import type { LoadGenerator } from "./load/client.ts";
import type { RunResult } from "./load/messages.ts";
import { credentialHeaders, probe, requestSet, secretsOf } from "./requests.ts";
import { type RoundTrips, takeRoundTrips } from "./round-trips.ts";
import type { Scenario } from "./scenarios.ts";
import { consumption, type Server, startServer, statusOf } from "./server.ts";
import type { World } from "./world.ts";

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

export interface Settings extends Load {
  /** Of each contestant, one after the other; two of one program may differ by a quarter. */
  readonly processes: number;
  /** Of each process. */
  readonly rounds: number;
}

/** Medians over all rounds. NaN: this machine cannot measure it. */
export interface Measurement {
  readonly contestant: Contestant;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all processes of the contestant, the kernel's part included. */
  readonly cpuMicrosPerRequest: number;
  /** The same of each process. */
  readonly cpuOfProcesses: readonly number[];
  /** Of Redis, its replies and its scripts. */
  readonly redisMicrosPerRequest: number;
  /** Share of its core that it used; well below 1 it was waiting for something else. */
  readonly busy: number;
  readonly residentBytes: number;
  readonly startMs: number;
  /** Of 1,000 requests at a limit of 100, the most of any process; undefined where nothing is limited. */
  readonly admitted: number | undefined;
  /** Of those that report them. */
  readonly roundTrips: RoundTrips | undefined;
  /** What makes a row worth less than the others. */
  readonly remarks: readonly string[];
}

interface Running {
  readonly contestant: Contestant;
  readonly servers: readonly Server[];
  readonly starts: readonly number[];
}

/** What was measured of one process, or of a contestant's replicas. */
interface Life extends Running {
  readonly rounds: Round[];
  admitted: number | undefined;
}

interface Round extends RunResult {
  readonly cpuSeconds: number;
  readonly redisCpuSeconds: number;
  readonly residentBytes: number;
  readonly roundTrips: readonly RoundTrips[];
}

/** V8 goes on compiling for that long where much code takes part; a service that runs for days is measured after it. */
export const WARM_UP_SECONDS = 10;
/** At most so many keys are used in a second of warming up: each was used before the measurement begins. */
const KEYS_PER_SECOND = 1_000;
/** Also before each round, less of it: what a contestant remembers for some seconds, it does not when its turn comes. */
const LEAD_IN_SECONDS = 0.5;
const KEYS_PER_LEAD_IN_SECOND = 5_000;
const STARTS = 3;
/** Tokens made for each second of a run; more than any server verifies on one core. */
export const FRESH_TOKENS_PER_SECOND = 10_000;

/**
 * Runs the contestants of a scenario in turns: each round measures every one of them for a few seconds, so that what
 * else happens on the machine meets all of them alike.
 */
export async function measure(
  scenario: Scenario,
  world: World,
  generator: LoadGenerator,
  settings: Settings,
): Promise<Measurement[]> {
  const lives: Life[] = [];
  for (let n = 0; n < settings.processes; n++)
    lives.push(...(await measureLives(scenario, world, generator, settings)));
  return scenario.contestants.map((contestant) =>
    summarize(
      contestant,
      lives.filter((life) => life.contestant === contestant),
      scenario.status,
    ),
  );
}

/** A process of each contestant, from its start to its end. */
async function measureLives(
  scenario: Scenario,
  world: World,
  generator: LoadGenerator,
  settings: Settings,
): Promise<Life[]> {
  const running: Life[] = [];
  try {
    for (const contestant of scenario.contestants) {
      running.push({ ...(await start(contestant, scenario, world)), rounds: [], admitted: undefined });
    }
    const warmUp = credentialHeaders(world, scenario.credentials, WARM_UP_SECONDS * FRESH_TOKENS_PER_SECOND);
    for (const one of running) {
      await loadRequests(one.contestant, scenario, world, warmUp, generator);
      const keys = keysInUse(one, scenario, world);
      await generator.run(runOf(one, { ...settings, seconds: WARM_UP_SECONDS + keys / KEYS_PER_SECOND }));
      one.admitted = await admittedOfBurst(one.contestant, one.servers, scenario, world, generator);
    }
    for (let round = 0; round < settings.rounds; round++) {
      const fresh =
        scenario.credentials === "fresh-token"
          ? credentialHeaders(world, "fresh-token", settings.seconds * FRESH_TOKENS_PER_SECOND)
          : undefined;
      for (const one of running) {
        if (fresh !== undefined) await loadRequests(one.contestant, scenario, world, fresh, generator);
        await untilIdle(running.flatMap(({ servers }) => servers));
        if (fresh === undefined)
          await generator.run(runOf(one, { ...settings, seconds: leadInSeconds(keysInUse(one, scenario, world)) }));
        one.rounds.push(await measureRound(one, world, generator, settings));
      }
    }
    return running;
  } finally {
    await Promise.all(running.flatMap(({ servers }) => servers.map((server) => server.stop())));
  }
}

/** Starts a contestant a few times over, for a fair start-up time, and keeps the last; then makes sure that it authenticates. */
export async function start(contestant: Contestant, scenario: Scenario, world: World): Promise<Running> {
  const command = await contestant.command(world);
  // Ready is who answers 200.
  const [headers = {}] = credentialHeaders(world, scenario.status === undefined ? scenario.credentials : "secret", 1);
  const good = probe(scenario.question, contestant.path(scenario.question), headers);
  const starts: number[] = [];
  for (let n = 1; ; n++) {
    const servers: Server[] = [];
    for (let replica = 0; replica < contestant.replicas; replica++) servers.push(await startServer(command, good));
    starts.push(...servers.map(({ startMs }) => startMs));
    if (n < STARTS) {
      await Promise.all(servers.map((server) => server.stop()));
      continue;
    }
    await requireAuthentication(contestant, scenario, servers);
    return { contestant, servers, starts };
  }
}

/** A server that admits every caller would win any benchmark. */
async function requireAuthentication(contestant: Contestant, { question }: Scenario, servers: readonly Server[]) {
  if (!contestant.authenticates) return;
  // Well-formed, its checksum right: it cannot be refused without a look at the keys.
  const headers = { "X-API-Key": makeSecret("secret") };
  for (const { port } of servers) {
    const status = await statusOf(port, probe(question, contestant.path(question), headers));
    if (status !== 401) throw new Error(`${contestant.name} answers an unknown key ${status}, not 401`);
  }
}

/** Every contestant gets the same credentials, on its own path. */
export async function loadRequests(
  contestant: Contestant,
  { question, credentials }: Pick<Scenario, "question" | "credentials">,
  world: World,
  headers: readonly Record<string, string>[],
  generator: LoadGenerator,
): Promise<void> {
  const path = contestant.path(question);
  const secrets = keysOf(contestant, secretsOf(world, credentials));
  const asked =
    secrets.length === 0
      ? headers
      : ((await contestant.inPlaceOfKeys?.(world, secrets)) ?? keysOf(contestant, headers));
  const probes = asked.map((one) => probe(question, path, one));
  const order = credentials === "fresh-token" ? "sequence" : "random";
  await generator.load(requestSet(contestant.name, probes, order));
}

function keysInUse({ contestant }: Running, { credentials }: Scenario, world: World): number {
  return keysOf(contestant, secretsOf(world, credentials)).length;
}

function leadInSeconds(keys: number): number {
  return LEAD_IN_SECONDS + keys / KEYS_PER_LEAD_IN_SECOND;
}

function keysOf<Credential>({ keysInUse }: Contestant, all: readonly Credential[]): readonly Credential[] {
  return all.slice(0, keysInUse);
}

export function runOf({ contestant, servers }: Pick<Running, "contestant" | "servers">, settings: Load) {
  const targets = servers.map(({ port }) => ({ host: "127.0.0.1", port }));
  return { set: contestant.name, targets, connections: settings.connections, seconds: settings.seconds };
}

async function measureRound(one: Running, world: World, generator: LoadGenerator, settings: Settings): Promise<Round> {
  const telling = one.contestant.reportsRoundTrips ? one.servers : [];
  await Promise.all(telling.map(takeRoundTrips));
  const [before, redisBefore] = [await consumption(one.servers), await world.redisCpuSeconds()];
  const result = await generator.run(runOf(one, settings));
  const [after, redisAfter] = [await consumption(one.servers), await world.redisCpuSeconds()];
  return {
    ...result,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    redisCpuSeconds: redisAfter - redisBefore,
    residentBytes: after.residentBytes,
    roundTrips: await Promise.all(telling.map(takeRoundTrips)),
  };
}

/** Waits for what servers put off until they were left alone, at most 10 s: the next one must not pay for it. */
async function untilIdle(servers: readonly Server[]): Promise<void> {
  for (let looks = 0; looks < 20; looks++) {
    const { cpuSeconds: before } = await consumption(servers);
    await sleep(500);
    const { cpuSeconds: after } = await consumption(servers);
    // Some hundredths of a core each: their timers.
    if (after - before < 0.02 * servers.length) return;
  }
}

function summarize(contestant: Contestant, lives: readonly Life[], status = 200): Measurement {
  const rounds = lives.flatMap((life) => life.rounds);
  const over = (value: (round: Round) => number) => median(rounds.map(value));
  return {
    contestant,
    requestsPerSecond: over((round) => answers(round) / round.seconds),
    p50Ms: over(({ p50Ms }) => p50Ms),
    p99Ms: over(({ p99Ms }) => p99Ms),
    cpuMicrosPerRequest: over(cpuMicros),
    redisMicrosPerRequest: over((round) => (1e6 * round.redisCpuSeconds) / answers(round)),
    cpuOfProcesses: lives.map((life) => median(life.rounds.map(cpuMicros))),
    busy: over(({ cpuSeconds, seconds }) => cpuSeconds / seconds),
    residentBytes: over(({ residentBytes }) => residentBytes),
    startMs: median(lives.flatMap(({ starts }) => starts)),
    admitted: admittedMost(lives),
    roundTrips: contestant.reportsRoundTrips && roundTripsOver(rounds.flatMap(({ roundTrips }) => roundTrips)),
    remarks: remarksOf(contestant, rounds, contestant.authenticates ? status : 200),
  };
}

function remarksOf(contestant: Contestant, rounds: readonly Round[], status: number): string[] {
  const wrong = rounds.reduce((sum, round) => sum + answers(round) - (round.statuses[status] ?? 0), 0);
  const remarks: string[] = [];
  if (wrong > 0) remarks.push(`${wrong} answers were not ${status}`);
  if (median(rounds.map(({ generatorBusy }) => generatorBusy)) > 0.9) {
    remarks.push("the load generator was at its limit, so it could be faster");
  }
  if (contestant.authenticates && rounds.some(({ hasRepeated }) => hasRepeated))
    remarks.push("some tokens were used twice");
  return remarks;
}

function roundTripsOver(all: readonly RoundTrips[]): RoundTrips {
  return { p50Ms: median(all.map(({ p50Ms }) => p50Ms)), p99Ms: median(all.map(({ p99Ms }) => p99Ms)) };
}

function cpuMicros(round: Round): number {
  return (1e6 * round.cpuSeconds) / answers(round);
}

function admittedMost(lives: readonly Life[]): number | undefined {
  const known = lives.flatMap(({ admitted }) => admitted ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

function answers({ statuses }: RunResult): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}
