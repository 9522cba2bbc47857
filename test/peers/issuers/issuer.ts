import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** An identity provider that runs, with the clients `console` and `web-app` and one user. */
export interface Issuer {
  /** What it has in place of the guide's `https://id.acme.example`. */
  readonly url: string;
  /** A new token of the user for a client, `console` or `web-app`: the one that the guide says to send. */
  tokenFor(client: string): Promise<string>;
  stop(): Promise<void>;
}

export const REDIRECT_URI = "http://127.0.0.1:9/callback";
export const PASSWORD = "a-password-of-this-test";

const START_MS = 60_000;

/** Starts a program that serves an address. Throws what it printed if it ends, or does not answer in time. */
export async function startProgram(
  address: string,
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<() => Promise<void>> {
  const child = spawn(command, args, {
    ...options,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (printed = `${printed}${chunk}`.slice(-4_000)));
  const until = performance.now() + START_MS;
  while (!(await isServed(address))) {
    if (child.exitCode !== null || performance.now() > until) {
      await end(child);
      throw new Error(`${command} did not start: ${printed}`);
    }
    await sleep(200);
  }
  return () => end(child);
}

function isServed(address: string): Promise<boolean> {
  return fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
