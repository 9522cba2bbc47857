import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { killAtExit } from "../servers/kill-at-exit.ts";
import type { JsonObject } from "./http.ts";

/** A process that does not listen by then is killed, so that the test fails with what it wrote. */
const START_TIMEOUT_MS = 60_000;

/** A process of ours, with all that it has written so far. */
export interface Running {
  readonly child: ChildProcess;
  /** stdout and stderr, as they came. */
  output(): string;
  /** The lines of its log so far. */
  log(): readonly JsonObject[];
  /** Resolves with the first match in the output; rejects if the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the service's URL once it listens; rejects if the process ends before. */
  listening(): Promise<string>;
  /** Resolves with the exit code; null if a signal ended it. */
  ended(): Promise<number | null>;
  /** Sends a signal, unless it has ended, and waits for the end; resolves with the exit code. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
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
  const child = spawn(process.execPath, [path], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", stdout, "pipe"],
  });
  return watch(child, () => child.kill("SIGKILL"));
}

/** What `npm start` runs, which the run has built (test/servers/global-setup.ts). It starts in half the time of the sources. */
export const BUILT = "../dist/main.js";

/** Starts the service on a free port of the loopback interface, without the pause in which a load balancer notices its end. */
export function runService(env: Record<string, string>, cwd: string, file = BUILT): Running {
  return run(file, { HOST: "127.0.0.1", PORT: "0", DRAIN_SECONDS: "0", ...env }, cwd);
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
  return { ...watch(child, killAll), killAll };
}

function watch(child: ChildProcess, kill: () => void): Running {
  let output = "";
  let stdout = "";
  const chunks = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of chunks)
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (stream === child.stdout) stdout += chunk;
    });
  killAtExit(child, kill);
  const exit = once(child, "close");
  const running: Running = {
    child,
    output: () => output,
    log: () => stdout.split("\n").slice(0, -1).filter(isObject).map(parse),
    waitFor(pattern) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output);
          if (match === null) return;
          for (const stream of chunks) stream.off("data", look);
          resolve(match);
        };
        for (const stream of chunks) stream.on("data", look);
        exit.then(() => reject(new Error(`ended without ${pattern}:\n${output}`)), reject);
        look();
      });
    },
    async listening() {
      const timeout = setTimeout(kill, START_TIMEOUT_MS);
      const [, url = ""] = await running.waitFor(/"url":"([^"]+)"/).finally(() => clearTimeout(timeout));
      return url;
    },
    ended: async () => {
      await exit;
      return child.exitCode;
    },
    end(signal) {
      child.kill(signal);
      return running.ended();
    },
  };
  return running;
}

const isObject = (line: string): boolean => line.startsWith("{");
const parse = (line: string): JsonObject => JSON.parse(line);
