import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface CountedRun {
  readonly code: number | null;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Where `cpuSeconds` is from. */
  readonly source: string;
}

interface Account {
  readonly source: string;
  /** A shell's script that runs its arguments, and what it gets as `$0`. */
  readonly script: string;
  readonly file: string;
  cpuSeconds(): number;
  close(): Promise<void>;
}

/** Runs a command, and counts the CPU time of it and of everything that it starts. */
export async function runCounted(command: readonly string[], options: SpawnOptions): Promise<CountedRun> {
  const account = openGroup() ?? openTimes();
  try {
    const startedMs = performance.now();
    const child = spawn("sh", ["-c", account.script, account.file, ...command], options);
    const code = await new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
    const seconds = (performance.now() - startedMs) / 1_000;
    return { code, seconds, cpuSeconds: account.cpuSeconds(), source: account.source };
  } finally {
    await account.close();
  }
}

/** A control group, which also has the servers that nobody waits for. Undefined where this process may not make one. */
function openGroup(): Account | undefined {
  for (const { parent, read } of groupsOfThisProcess()) {
    const folder = join(parent, `latchkey-${process.pid}-${Date.now()}`);
    const file = join(folder, "cgroup.procs");
    try {
      mkdirSync(folder);
      const script = 'echo $$ > "$0" && exec "$@"';
      // Where the kernel makes no such file, the folder is an ordinary one.
      if (existsSync(file) && spawnSync("sh", ["-c", script, file, "true"]).status === 0) {
        return { source: "control group", script, file, cpuSeconds: () => read(folder), close: () => removed(folder) };
      }
      rmdirSync(folder);
    } catch {
      // The next one, if there is one.
    }
  }
  return undefined;
}

function groupsOfThisProcess(): { parent: string; read: (folder: string) => number }[] {
  let lines: string[];
  try {
    lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  } catch {
    return [];
  }
  return lines.flatMap((line) => {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === "") return [{ parent: join("/sys/fs/cgroup", path), read: readUnified }];
    if (!controllers.split(",").includes("cpuacct")) return [];
    return [{ parent: join("/sys/fs/cgroup", controllers, path), read: readFirstVersion }];
  });
}

function readUnified(folder: string): number {
  return Number(/^usage_usec (\d+)$/m.exec(readFileSync(join(folder, "cpu.stat"), "utf8"))?.[1]) / 1e6;
}

function readFirstVersion(folder: string): number {
  return Number(readFileSync(join(folder, "cpuacct.usage"), "utf8")) / 1e9;
}

/** A server may still be ending. A group that stays is empty, and goes with the machine's next start. */
async function removed(folder: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      rmdirSync(folder);
      return;
    } catch {
      await sleep(100);
    }
  }
}

/** The shell's own count: of the processes that were waited for. */
function openTimes(): Account {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-times-"));
  const file = join(folder, "times");
  return {
    source: "processes that were waited for",
    script: '"$@"; code=$?; times > "$0"; exit $code',
    file,
    cpuSeconds: () => secondsOfTimes(readFileSync(file, "utf8")),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** The second line of the shell's `times` is about its children: `1m2.500s 0m3.000s`. */
export function secondsOfTimes(printed: string): number {
  const [, children = ""] = printed.trim().split("\n");
  const times = children.split(" ").map((time) => /^(\d+)m([\d.]+)s$/.exec(time) ?? []);
  if (times.length !== 2 || times.some(({ length }) => length === 0))
    throw new Error(`not what times prints: ${printed}`);
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
