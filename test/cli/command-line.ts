import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../harness/http.ts";

/** What the run has built (test/servers/global-setup.ts). */
export const LATCHKEY = fileURLToPath(new URL("../../dist/latchkey.js", import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  json(): JsonObject;
}

export interface RunOptions {
  /** All of the environment, beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Runs the real command as a process of its own, with nothing of this machine's configuration. */
export function latchkey(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** The same, for tests that end the process. */
export function start(
  args: readonly string[],
  { env = {}, stdin = "", cwd = tmpdir() }: RunOptions = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [LATCHKEY, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  // A command that does not read it may have ended already.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const ended = once(child, "close").then(() => ({
    ...{ status: child.exitCode, stdout, stderr },
    json: () => JSON.parse(stdout),
  }));
  return { child, ended };
}

/** Runs a command that must succeed. */
export async function succeed(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = await latchkey(args, options);
  if (ended.status !== 0) throw new Error(`latchkey ${args.join(" ")} ended with ${ended.status}: ${ended.stderr}`);
  return ended;
}

/** The same text with identifiers and instants that are the same in each run, and as long as they were. */
export function masked(text: string): string {
  return text
    .replaceAll(/\b(key|ten|org|ivt|req)_[0-9a-f]{32}\b/g, (_, kind: string) => `${kind}_${"0".repeat(32)}`)
    .replaceAll(/\b(sk|pk)_[0-9a-zA-Z]{9}\b/g, "$1_000000000")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g, "2030-01-31T12:00:00Z");
}
