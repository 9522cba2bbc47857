import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";

/**
 * Preloaded into a server to profile (`node --import`): SIGUSR2 begins a CPU profile, a second one ends it and writes it
 * to `PROFILE_FILE`. Node's own `--cpu-prof` would also record the start and the warm-up.
 */

/** Short enough for functions of a few microseconds, in µs. */
const INTERVAL_US = 200;
const session = new Session();
let isRunning = false;

process.on("SIGUSR2", () => {
  toggle().catch((err: unknown) => console.error(err));
});

async function toggle(): Promise<void> {
  if (!isRunning) {
    isRunning = true;
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
    await session.post("Profiler.start");
    return;
  }
  const { profile } = await session.post("Profiler.stop");
  await writeFile(process.env.PROFILE_FILE ?? "server.cpuprofile", JSON.stringify(profile));
}
