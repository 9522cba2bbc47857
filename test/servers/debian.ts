import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Other programs use apt as well, on a machine that has just been made. */
const ATTEMPTS = 30;
const PAUSE_MS = 4_000;
/** RUNLEVEL=1: the services that come with a package are not started. */
const ENV = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };

export interface Program {
  /** Debian's package of it. */
  readonly package: string;
  isInstalled(): Promise<boolean>;
  /** What to do where we cannot install it. */
  readonly advice: string;
}

/**
 * Sees to it that a program is there: as root on Debian it is installed if need be.
 *
 * Test files of several processes get here at once. `flock` lets them install one after the other: apt itself waits for
 * its packages, but not for its lists.
 */
export async function ensureInstalled(program: Program): Promise<void> {
  if (await program.isInstalled()) return;
  const canInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  let reason = "";
  for (let attempt = 0; canInstall && attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    reason = await install(program.package);
    if (await program.isInstalled()) return;
    if (!/lock/i.test(reason)) break;
  }
  throw new Error(reason === "" ? program.advice : `${program.advice} (apt-get: ${reason})`);
}

/** Whether a command can be run. */
export function canRun(command: string, ...args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

/** Answers why it failed; empty if it did not. */
async function install(name: string): Promise<string> {
  const script = `apt-get -qq update; apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends ${name}`;
  try {
    await run("flock", [join(tmpdir(), "latchkey-apt.lock"), "sh", "-c", script], { env: ENV });
    return "";
  } catch (err) {
    return (err instanceof Error && "stderr" in err ? String(err.stderr) : String(err)).trim().slice(-500);
  }
}
