import { setTimeout as sleep } from "node:timers/promises";
import type { Edge } from "../../src/edge/edge.ts";
import { addRevocableKeys, type RevocableKey } from "../keys.ts";
import { consumption } from "../server.ts";
import { stateOf } from "../state.ts";
import { markdownTable } from "../table.ts";
import type { World } from "../world.ts";
import { type EdgeHost, rawHeaders, startEdge } from "./service.ts";

/** What edges cost the replica that they follow, and how long a revocation takes with so many of them. */

const FLEETS = [0, 10, 1_000];
const STARTED_AT_ONCE = 50;
/** Of one key at a time. */
const REVOCATIONS = 30;
/** How often all edges verify a key, a second apart: each then reports it. */
const USES = 5;
const IDLE_MS = 5_000;
/** For reports, and for what else a change leaves to do. */
const CALM_MS = 2_000;
const CONCURRENT_EDGES = 100;
const VERIFIED_MS = 60_000;
const RETRY_MS = 100;

interface Course {
  readonly edges: number;
  /** CPU µs of the replica in a second while nothing happens. */
  readonly idleMicros: number;
  readonly residentBytes: number;
  /** After a full garbage collection, without and with the keys that each edge has. */
  readonly heapBytes: number;
  readonly heapWithKeysBytes: number;
  readonly responsesMs: readonly number[];
  /** Edges that had a record after the response to its revocation. */
  readonly late: number;
  /** CPU µs of the replica for one revocation, without what it uses when nothing happens. */
  readonly changeMicros: number;
  /** CPU µs of the replica for the use of a key that an edge has decided on alone, and reports by itself. */
  readonly reportMicros: number;
}

export async function following(world: World, host: EdgeHost): Promise<string> {
  const fleet: Edge[] = [];
  const courses: Course[] = [];
  try {
    for (const edges of FLEETS) {
      while (fleet.length < edges) {
        const starting = Math.min(STARTED_AT_ONCE, edges - fleet.length);
        fleet.push(...(await Promise.all(Array.from({ length: starting }, () => startEdge(host)))));
      }
      courses.push(await observe(world, host, fleet));
    }
  } finally {
    await Promise.all(fleet.map((edge) => edge.close()));
  }
  return `${revocationTable(courses)}\n\n${costTable(courses)}`;
}

async function observe(world: World, host: EdgeHost, fleet: readonly Edge[]): Promise<Course> {
  await sleep(CALM_MS);
  const idleMicros = await idleCpu(host);
  const { heapBytes } = await stateOf(host, host.stateFile);
  const { residentBytes } = await consumption([host]);
  const keys = await addRevocableKeys(host.databaseUrl, world.keys.tenant, REVOCATIONS);
  for (const { secret } of keys) await verifyOnAll(fleet, secret);
  await sleep(CALM_MS);
  const { heapBytes: heapWithKeysBytes } = await stateOf(host, host.stateFile);
  const reportMicros = await reportCpu(host, fleet, keys, idleMicros);
  const authorization = `Bearer ${await world.userToken()}`;
  // The first one fetches the key set of the users' tokens.
  const [warmUp] = await addRevocableKeys(host.databaseUrl, world.keys.tenant, 1);
  if (warmUp !== undefined) await revoke(warmUp, host, authorization);
  const responsesMs: number[] = [];
  let late = 0;
  const changes = await cpuOf(host, idleMicros, async () => {
    for (const [n, key] of keys.entries()) {
      responsesMs.push(await revoke(key, host, authorization));
      // All others, and the tenant.
      late += fleet.filter(({ status }) => status.records > keys.length - n).length;
    }
  });
  const edges = fleet.length;
  return {
    ...{ edges, idleMicros, residentBytes, heapBytes, heapWithKeysBytes, responsesMs, late, reportMicros },
    changeMicros: changes / keys.length,
  };
}

async function idleCpu(host: EdgeHost): Promise<number> {
  const before = await consumption([host]);
  const startedAt = performance.now();
  await sleep(IDLE_MS);
  const after = await consumption([host]);
  return (1e6 * (after.cpuSeconds - before.cpuSeconds)) / ((performance.now() - startedAt) / 1_000);
}

/** CPU µs of work, without what the replica uses when nothing happens. */
async function cpuOf(host: EdgeHost, idleMicros: number, work: () => Promise<void>): Promise<number> {
  const before = await consumption([host]);
  const startedAt = performance.now();
  await work();
  const after = await consumption([host]);
  const seconds = (performance.now() - startedAt) / 1_000;
  return Math.max(0, 1e6 * (after.cpuSeconds - before.cpuSeconds) - seconds * idleMicros);
}

async function reportCpu(host: EdgeHost, fleet: readonly Edge[], [key]: readonly RevocableKey[], idleMicros: number) {
  if (fleet.length === 0 || key === undefined) return Number.NaN;
  const micros = await cpuOf(host, idleMicros, async () => {
    for (let use = 0; use < USES; use++) {
      await verifyOnAll(fleet, key.secret);
      await sleep(1_000);
    }
    await sleep(CALM_MS);
  });
  return micros / (USES * fleet.length);
}

/** So that each edge has the key's record. A thousand in one process now and then lack a lease: those are asked again. */
async function verifyOnAll(fleet: readonly Edge[], secret: string): Promise<void> {
  const question = { headers: rawHeaders({ "X-API-Key": secret }), scopes: [], cost: undefined };
  const deadline = performance.now() + VERIFIED_MS;
  let left = fleet;
  while (left.length > 0) {
    if (performance.now() > deadline) throw new Error(`a known key was not admitted by ${left.length} edges`);
    const undecided: Edge[] = [];
    for (let n = 0; n < left.length; n += CONCURRENT_EDGES) {
      const asked = left.slice(n, n + CONCURRENT_EDGES);
      const verdicts = await Promise.all(asked.map(async (edge) => edge.verify(question)));
      undecided.push(...asked.filter((_, index) => verdicts[index]?.kind !== "admitted"));
    }
    left = undecided;
    if (left.length > 0) await sleep(RETRY_MS);
  }
}

/** In ms, from the call to the response. */
async function revoke({ id }: RevocableKey, { url }: EdgeHost, authorization: string): Promise<number> {
  const sentAt = performance.now();
  const response = await fetch(`${url}/api/v1/api-keys/revoke`, {
    method: "POST",
    headers: { "Content-Type": "application/json", authorization },
    body: JSON.stringify({ key_id: id }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`a revocation was answered ${response.status}`);
  return performance.now() - sentAt;
}

function revocationTable(courses: readonly Course[]): string {
  const rows = courses.map(({ edges, responsesMs, late, changeMicros }) => {
    const sorted = responsesMs.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    const worst = sorted.at(-1) ?? Number.NaN;
    const cells = [median, worst].map((ms) => ms.toFixed(1));
    return [whole(edges), `${sorted.length}`, ...cells, `${late}`, whole(changeMicros)];
  });
  const titles = ["edges that have the key", "revocations", "p50 ms", "max ms", "late edges", "CPU µs of the replica"];
  return markdownTable(titles, rows);
}

function costTable(courses: readonly Course[]): string {
  const [none] = courses;
  if (none === undefined) return "";
  const rows = courses.map((one) => {
    const each = (value: number) => whole(value / one.edges);
    const cells =
      one.edges === 0
        ? ["", "", "", "", ""]
        : [
            each(one.idleMicros - none.idleMicros),
            each(one.residentBytes - none.residentBytes),
            each(one.heapBytes - none.heapBytes),
            each((one.heapWithKeysBytes - one.heapBytes) / REVOCATIONS),
            each(one.changeMicros - none.changeMicros),
          ];
    const report = Number.isNaN(one.reportMicros) ? "" : whole(one.reportMicros);
    return [whole(one.edges), whole(one.idleMicros), whole(one.residentBytes / 1e6), ...cells, report];
  });
  const ofAll = ["edges", "CPU µs/s", "RSS MB"];
  const ofOne = ["CPU µs/s of one", "RSS bytes of one", "heap bytes of one", "of one record"];
  return markdownTable([...ofAll, ...ofOne, "CPU µs of a drop", "CPU µs of a report"], rows);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
