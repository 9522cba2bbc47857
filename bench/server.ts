import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../test/servers/free-port.ts";
import { consumptionOf, onServerCore } from "./machine.ts";

/** A process to measure. It listens on `PORT`, and is ready when it answers. */
export interface ServerCommand {
  /** Program that runs it; default: this `node`. */
  readonly program?: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it may run on any core. Default: on the servers' core alone. */
  readonly isAnyCore?: boolean;
}

/** A request with what is expected of it. */
export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to its first right answer. */
  readonly startMs: number;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 5;
const STOP_TIMEOUT_MS = 10_000;

/** Starts a server and waits until it answers the probe with 200. */
export async function startServer(
  { program = process.execPath, args, env, isAnyCore = false }: ServerCommand,
  probe: Probe,
): Promise<Server> {
  const port = await freePort();
  const [command, all] = isAnyCore ? [program, [...args]] : onServerCore(program, args);
  const startedAt = performance.now();
  const child = spawn(command, all, {
    // Nothing of this machine's configuration but what is given. What it logs goes nowhere, at the price of writing it.
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...env, HOST: "127.0.0.1", PORT: `${port}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  try {
    await answers(`http://127.0.0.1:${port}`, probe, child);
  } catch (err) {
    await end(child, "SIGKILL");
    const problem = err instanceof Error ? err.message : String(err);
    throw new Error(`${args.join(" ")}: ${problem} ${complaint}`, { cause: err });
  }
  return {
    pid: child.pid ?? 0,
    port,
    startMs: performance.now() - startedAt,
    stop: () => end(child, "SIGTERM"),
  };
}

/** What a server answers: its status. */
export async function statusOf(port: number, { method, path, headers, body }: Probe): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Seconds of CPU of all these servers so far, and the memory they hold now. */
export async function consumption(servers: readonly Server[]): Promise<{ cpuSeconds: number; residentBytes: number }> {
  const all = await Promise.all(servers.map(({ pid }) => consumptionOf(pid)));
  const sum = (pick: "cpuSeconds" | "residentBytes") =>
    all.reduce((total, one) => total + (one?.[pick] ?? Number.NaN), 0);
  return { cpuSeconds: sum("cpuSeconds"), residentBytes: sum("residentBytes") };
}

async function answers(url: string, { method, path, headers, body }: Probe, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let last = "no answer";
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}.`);
    try {
      const response = await fetch(url + path, { method, headers, body });
      const text = await response.text();
      if (response.status === 200) return;
      last = `${response.status} ${text.slice(0, 300)}`;
    } catch {
      // Not listening yet.
    }
    await sleep(POLL_MS);
  }
  throw new Error(`nothing right was answered in ${START_TIMEOUT_MS} ms, at last: ${last}.`);
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}
