import { mkdir, readFile, stat } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Contestant } from "./contestants.ts";
import { type HotFunction, hotFunctions, hotPackages, ownFunctions } from "./hot-functions.ts";
import type { LoadGenerator } from "./load/client.ts";
import { FRESH_TOKENS_PER_SECOND, type Load, loadRequests, runOf, start, WARM_UP_SECONDS } from "./measure.ts";
import { credentialHeaders } from "./requests.ts";
import type { Scenario } from "./scenarios.ts";
import type { World } from "./world.ts";

const FOLDER = fileURLToPath(new URL("profiles/", import.meta.url));
const PROFILER = fileURLToPath(new URL("profiler.ts", import.meta.url));
const SOURCES = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const WRITE_TIMEOUT_MS = 20_000;
const FUNCTIONS_SHOWN = 30;
const PACKAGES_SHOWN = 15;

/** Records a CPU profile of Latchkey under the load of a scenario, and returns what takes the most time. */
export async function profile(
  scenario: Scenario,
  world: World,
  generator: LoadGenerator,
  settings: Load,
): Promise<string> {
  const latchkey = scenario.contestants.find(({ isLatchkey }) => isLatchkey);
  if (latchkey === undefined) throw new Error(`Latchkey is not part of ${scenario.name}`);
  await mkdir(FOLDER, { recursive: true });
  const file = `${FOLDER}${scenario.name}.${Date.now()}.cpuprofile`;
  const contestant = preloaded(latchkey, file);
  const { servers } = await start(contestant, scenario, world);
  const [server] = servers;
  try {
    if (server === undefined) throw new Error("there is no server to profile");
    const tokens = (WARM_UP_SECONDS + settings.seconds) * FRESH_TOKENS_PER_SECOND;
    await loadRequests(contestant, scenario, world, credentialHeaders(world, scenario.credentials, tokens), generator);
    await generator.run(runOf({ contestant, servers }, { ...settings, seconds: WARM_UP_SECONDS }));
    process.kill(server.pid, "SIGUSR2");
    await generator.run(runOf({ contestant, servers }, settings));
    process.kill(server.pid, "SIGUSR2");
    return report(file, await written(file));
  } finally {
    await Promise.all(servers.map((one) => one.stop()));
  }
}

/** Runs the sources: the built server is one file, whose profile does not show packages. */
function preloaded(contestant: Contestant, file: string): Contestant {
  return {
    ...contestant,
    async command(world) {
      const { env } = await contestant.command(world);
      return { args: ["--import", PROFILER, SOURCES], env: { ...env, PROFILE_FILE: file } };
    },
  };
}

/** The server writes it in one go, but not at once. */
async function written(file: string): Promise<Profiler.Profile> {
  const deadline = performance.now() + WRITE_TIMEOUT_MS;
  let bytes = 0;
  while (performance.now() < deadline) {
    await sleep(500);
    const now = await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    // Our own profiler's, in V8's format.
    if (now > 0 && now === bytes) return JSON.parse(await readFile(file, "utf8")) as Profiler.Profile;
    bytes = now;
  }
  throw new Error(`no profile was written to ${file}`);
}

function report(file: string, recorded: Profiler.Profile): string {
  return [
    `written to ${file}`,
    "\nSelf time by package, without idle time:",
    ...lines(hotPackages(recorded).slice(0, PACKAGES_SHOWN)),
    "\nSelf time by function:",
    ...lines(hotFunctions(recorded).slice(0, FUNCTIONS_SHOWN)),
    "\nOur functions with all that they call, up to their next await:",
    ...lines(ownFunctions(recorded).slice(0, FUNCTIONS_SHOWN)),
  ].join("\n");
}

function lines(functions: readonly HotFunction[]): string[] {
  return functions.map(({ name, share }) => `${(100 * share).toFixed(1).padStart(5)} %  ${name}`);
}
