import { readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Server, ServerCommand } from "./server.ts";

/** What a server reports of itself. */
export interface ProcessState {
  /** After a full garbage collection. */
  readonly heapBytes: number;
  /** What keeps its event loop alive, by kind, as `process.getActiveResourcesInfo` names it. */
  readonly resources: Readonly<Record<string, number>>;
}

const PROBE = fileURLToPath(new URL("state-probe.ts", import.meta.url));
const POLL_MS = 100;
const REPORT_TIMEOUT_MS = 20_000;

/** The same server, which reports its state to that file when it is asked to. */
export function reportingTo(file: string, { args, env, ...command }: ServerCommand): ServerCommand {
  return { ...command, args: ["--import", PROBE, ...args], env: { ...env, STATE_FILE: file } };
}

export async function stateOf({ pid }: Server, file: string): Promise<ProcessState> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  const deadline = performance.now() + REPORT_TIMEOUT_MS;
  while (performance.now() < deadline) {
    await sleep(POLL_MS);
    const text = await readFile(file, "utf8").catch(() => "");
    // The file is there before all of it is.
    if (text.endsWith("}}")) return JSON.parse(text);
  }
  throw new Error("the server did not report its state");
}
