import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import type { ProcessState } from "./state.ts";

/** Preloaded into a server: SIGUSR2 makes it collect its garbage and write its state to `STATE_FILE`. */
const session = new Session();
session.connect();

process.on("SIGUSR2", () => {
  report().catch((err: unknown) => console.error(err));
});

async function report(): Promise<void> {
  // Before anything of this report is under way itself.
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  await session.post("HeapProfiler.collectGarbage");
  const state: ProcessState = { heapBytes: process.memoryUsage().heapUsed, resources };
  await writeFile(process.env.STATE_FILE ?? "state", JSON.stringify(state));
}
