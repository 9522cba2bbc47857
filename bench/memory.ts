import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contestant } from "./contestants.ts";
import type { LoadGenerator } from "./load/client.ts";
import { type Load, loadRequests, runOf, start } from "./measure.ts";
import { credentialHeaders } from "./requests.ts";
import type { Scenario } from "./scenarios.ts";
import { consumption, type Server } from "./server.ts";
import { reportingTo, stateOf } from "./state.ts";
import { markdownTable } from "./table.ts";
import type { World } from "./world.ts";

const STEPS = 5;
const REQUESTS_OF_STEP = 200_000;
/** Enough for a step at a hundredth of the usual pace. */
const STEP_SECONDS_MAX = 1_200;

interface Sizes {
  readonly residentBytes: number;
  /** After a full garbage collection. */
  readonly heapBytes: number;
}

/**
 * The memory of a bare Node process and of Latchkey before, during and after a million requests, as a table. A leak would
 * show in the heap; the resident size also depends on how V8 and malloc manage free memory.
 */
export async function memory(
  scenario: Scenario,
  world: World,
  generator: LoadGenerator,
  settings: Load,
): Promise<string> {
  const rows: string[][] = [];
  for (const contestant of scenario.contestants.filter(({ isLatchkey }, n) => n === 0 || isLatchkey)) {
    const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"));
    try {
      const file = join(folder, "state");
      const sizes = await sizesOf(reporting(contestant, file), file, scenario, world, generator, settings);
      rows.push([contestant.name, "resident", ...sizes.map(({ residentBytes }) => megabytes(residentBytes))]);
      rows.push(["", "heap", ...sizes.map(({ heapBytes }) => megabytes(heapBytes))]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const reached = Array.from({ length: STEPS }, (_, step) => ((step + 1) * REQUESTS_OF_STEP).toLocaleString("en"));
  return markdownTable(["MB", "", "at rest", ...reached], rows);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function reporting(contestant: Contestant, file: string): Contestant {
  return {
    ...contestant,
    command: async (world) => reportingTo(file, await contestant.command(world)),
  };
}

/** At rest and after each step. */
async function sizesOf(
  contestant: Contestant,
  file: string,
  scenario: Scenario,
  world: World,
  generator: LoadGenerator,
  { connections }: Load,
): Promise<Sizes[]> {
  const { servers } = await start(contestant, scenario, world);
  try {
    const [server] = servers;
    if (server === undefined) throw new Error("there is no server to measure");
    await loadRequests(contestant, scenario, world, credentialHeaders(world, scenario.credentials, 1), generator);
    const sizes = [await sizesNow(server, file)];
    for (let step = 0; step < STEPS; step++) {
      const run = runOf({ contestant, servers }, { connections, seconds: STEP_SECONDS_MAX });
      await generator.run({ ...run, requests: REQUESTS_OF_STEP });
      sizes.push(await sizesNow(server, file));
    }
    return sizes;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function sizesNow(server: Server, file: string): Promise<Sizes> {
  const { residentBytes } = await consumption([server]);
  return { residentBytes, heapBytes: (await stateOf(server, file)).heapBytes };
}
