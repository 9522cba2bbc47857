import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";

/** The core that every measured server runs on, alone. */
const SERVER_CORE = "0";
/** Counted here once: `availableParallelism` would only count those that this process is bound to. */
const CORES = cpus().length;
/** Linux counts a process' time in these, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** Whether processes can be bound to cores here; without that, servers and load compete and the ratios say little. */
export const canPin = CORES > 1 && spawnSync("taskset", ["--version"]).status === 0;

/**
 * Moves this process, and so whatever it starts from now on (databases, load), off the servers' core. Call it before
 * anything is started.
 */
export function leaveServerCore(): void {
  if (!canPin) return;
  const others = `1-${CORES - 1}`;
  const { status } = spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", others, `${process.pid}`]);
  if (status !== 0) throw new Error(`this process could not be bound to the cores ${others}`);
}

/** A command line that runs on the servers' core. */
export function onServerCore(command: string, args: readonly string[]): [command: string, args: string[]] {
  return canPin ? ["taskset", ["--cpu-list", SERVER_CORE, command, ...args]] : [command, [...args]];
}

/** What a process has used so far. All its threads count: the garbage collector works in some of them. */
export interface Consumption {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Undefined where there is no `/proc`. */
export async function consumptionOf(pid: number): Promise<Consumption | undefined> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined),
    readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined),
  ]);
  if (stat === undefined || status === undefined) return undefined;
  // The second field, the command's name in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const residentKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return { cpuSeconds: (user + system) / TICKS_PER_SECOND, residentBytes: residentKb * 1_024 };
}

/** One line for the head of a report: numbers without their machine mean nothing. */
export function machineFacts(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${CORES} cores (${model}), ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

/** Work of others on the machine, which the interleaving spreads over the contestants but does not remove. */
export function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(" ");
}
