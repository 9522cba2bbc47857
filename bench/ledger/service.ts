import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { killAtExit } from "../../test/servers/kill-at-exit.ts";
import type { Ask, Counters } from "./probe.ts";

/** A process of the service that counts. */
export interface CountingService {
  readonly port: number;
  ask(what: Ask): Promise<Counters>;
  stop(): Promise<void>;
}

/**
 * Nothing may depend on when another thread is done: nothing is optimized, and garbage is collected on demand only. So a
 * count is what the code asks for, and not what is left of it after an optimizing compiler.
 */
const FLAGS = [
  "--expose-gc",
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
  "--single-threaded-gc",
  "--no-opt",
  "--no-maglev",
  "--no-flush-bytecode",
];
const START_TIMEOUT_MS = 60_000;
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Starts what `npm run build` made. */
export async function startCounting(env: Readonly<Record<string, string>>): Promise<CountingService> {
  const child = spawn(process.execPath, [...FLAGS, "--import", file("probe.ts"), file("../../dist/main.js")], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...env, HOST: "127.0.0.1", PORT: "0" },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  killAtExit(child, () => child.kill("SIGKILL"));
  return {
    port: await listening(child),
    async ask(what) {
      const answered = once(child, "message");
      child.send(what);
      const [counters] = await answered;
      return counters;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Resolves with the port. Keeps reading afterwards, so that the pipe never fills up. */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = "";
    let isListening = false;
    const late = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    child.once("exit", () => {
      clearTimeout(late);
      reject(new Error(`the service ended before it listened:\n${output}`));
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (isListening) return;
      output += text;
      const port = /"url":"http:\/\/[^"]*:(\d+)"/.exec(output)?.[1];
      if (port === undefined) return;
      isListening = true;
      clearTimeout(late);
      resolve(Number(port));
    });
  });
}
