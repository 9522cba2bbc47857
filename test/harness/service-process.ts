import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A real process of ours, with all that it has written so far. */
export interface Running {
  readonly child: ChildProcess;
  /** stdout and stderr, as they came. */
  output(): string;
  /** Resolves with the first match in the output; rejects if the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code; null if a signal ended it. */
  ended(): Promise<number | null>;
}

/** Starts a file, named from `src` on or in full, with nothing of this machine's configuration but what is given. */
export function run(
  file: string,
  env: Record<string, string>,
  cwd: string,
  /** A descriptor where stdout is not to be part of the output. */
  stdout: "pipe" | number = "pipe",
): Running {
  const path = fileURLToPath(new URL(file, new URL("../../src/", import.meta.url)));
  return watch(
    spawn(process.execPath, [path], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", stdout, "pipe"],
    }),
  );
}

/** Starts npm; `killAll` also ends what npm has left behind. */
export function runNpm(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Running & { killAll(): void } {
  const child = spawn("npm", args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const killAll = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing is left of the group.
    }
  };
  return { ...watch(child), killAll };
}

function watch(child: ChildProcess): Running {
  let output = "";
  const chunks = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of chunks)
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const exit = once(child, "close");
  return {
    child,
    output: () => output,
    waitFor(pattern) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output);
          if (match !== null) resolve(match);
        };
        for (const stream of chunks) stream.on("data", look);
        exit.then(() => reject(new Error(`ended without ${pattern}:\n${output}`)), reject);
        look();
      });
    },
    ended: async () => {
      await exit;
      return child.exitCode;
    },
  };
}
