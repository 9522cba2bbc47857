import type { Contestant } from "./contestants.ts";
import { startLoadGenerator } from "./load/client.ts";
import { canPin, leaveServerCore, load, machineFacts } from "./machine.ts";
import { type Measurement, measure } from "./measure.ts";
import { memory } from "./memory.ts";
import { type Options, type Plan, readOptions, USAGE } from "./options.ts";
import { prepared } from "./preparation.ts";
import { profile } from "./profile.ts";
import { againstLast, keep } from "./results.ts";
import { BACKGROUND_PER_SECOND, revocations } from "./revocations.ts";
import { installRivals } from "./rivals.ts";
import type { Scenario } from "./scenarios.ts";
import { legend, table } from "./table.ts";
import { startWorld, type World } from "./world.ts";

/** `npm run bench`: Latchkey and what it is compared with, measured in turns on one machine. */

const options = parse();
const plans = options.work === "compare" ? await preparePlans() : options.plans;
leaveServerCore();
process.once("SIGINT", () => process.exit(130));
// One listener for each server under way, so that none outlives this process.
process.setMaxListeners(100);
const generator = startLoadGenerator();
const tables = new Map<string, readonly Measurement[]>();
try {
  console.log(`${machineFacts()}; ${canPin ? "servers on core 0, everything else off it" : "nothing is pinned"}`);
  for (const plan of plans) {
    await inWorld(plan.keys, async (world) => {
      await (options.work === "compare" ? compare : lookAt)(world, plan.scenarios, options);
      if (plan.revoking.length > 0) await revoke(world, plan.revoking, options);
    });
  }
  if (options.isKept) keep(tables);
} finally {
  generator.stop();
}

function parse(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (err) {
    console.error(`bench: ${err instanceof Error ? err.message : err}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Without what cannot run here. */
async function preparePlans(): Promise<Plan[]> {
  await installRivals();
  const ready = await prepared(
    options.plans.flatMap(({ scenarios, revoking }) => [
      ...scenarios.flatMap(({ contestants }) => contestants),
      ...revoking,
    ]),
  );
  const isReady = (one: Contestant) => ready.has(one);
  return options.plans.map(({ keys, scenarios, revoking }) => ({
    keys,
    scenarios: scenarios.map((scenario) => ({ ...scenario, contestants: scenario.contestants.filter(isReady) })),
    revoking: revoking.filter(isReady),
  }));
}

async function inWorld(keys: number, work: (world: World) => Promise<void>): Promise<void> {
  const world = await startWorld(keys);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

async function compare(world: World, scenarios: readonly Scenario[], options: Options): Promise<void> {
  const { connections, processes, rounds, seconds } = options;
  const measured = `medians of ${rounds} rounds of ${seconds} s, processes of each: ${processes}`;
  for (const scenario of scenarios) {
    for (const count of connections) {
      const settings = { connections: count, processes, rounds, seconds };
      const loadBefore = load();
      const measurements = await measure(scenario, world, generator, settings);
      console.log(`\n## ${scenario.name}: ${scenario.title}\n`);
      console.log(
        `${count} connections, ${world.tableSize.toLocaleString("en")} keys, ${measured}; ` +
          `load averages ${loadBefore} before, ${load()} after\n`,
      );
      console.log(`${table(measurements, scenario.references)}\n\n${legend(measurements)}`);
      const name = `${scenario.name}, ${count} connections, ${world.tableSize} keys`;
      tables.set(name, measurements);
      console.log(`\n${againstLast(name, measurements)}`);
    }
  }
}

async function revoke(
  world: World,
  contestants: readonly Contestant[],
  { connections, processes, rounds, seconds }: Options,
): Promise<void> {
  for (const count of connections) {
    const loadBefore = load();
    const settings = { connections: count, processes, seconds: rounds * seconds };
    const result = await revocations(contestants, world, generator, settings);
    console.log("\n## revocations: POST /api/v1/api-keys/revoke, PostgreSQL and Redis\n");
    console.log(
      `${settings.seconds} s of changes beside ${BACKGROUND_PER_SECOND.toLocaleString("en")} verifications a second on ` +
        `${count} connections, groups of processes: ${processes}; load averages ${loadBefore} before, ${load()} after\n`,
    );
    console.log(result);
  }
}

/** At Latchkey alone. */
async function lookAt(world: World, scenarios: readonly Scenario[], options: Options): Promise<void> {
  const { connections, seconds } = options;
  const work = options.work === "profile" ? profile : memory;
  for (const scenario of scenarios) {
    for (const count of connections) {
      console.log(`\n## ${scenario.name}, ${count} connections\n`);
      console.log(await work(scenario, world, generator, { connections: count, seconds }));
    }
  }
}
