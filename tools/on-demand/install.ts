import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 200;

/**
 * Installs what the lock file of a folder says, on first use and when the lock file has changed. The workers of a test run
 * get here at once: one installs, the others wait for it.
 */
export async function installOnce(folder: string): Promise<void> {
  const lockFile = join(folder, "package-lock.json");
  /** The lock file of what is installed. npm removes it first. */
  const installed = join(folder, "node_modules/.installed.json");
  /** Contains the id of the process that installs. */
  const claim = join(folder, ".installing");
  const isInstalled = () => existsSync(installed) && readFileSync(installed).equals(readFileSync(lockFile));
  while (!isInstalled()) {
    if (!takeClaim(claim)) {
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      if (isInstalled()) return;
      await runNpm(folder);
      copyFileSync(lockFile, installed);
    } finally {
      rmSync(claim, { force: true });
    }
  }
}

/** False while another process installs. One that was killed leaves its claim, which then is void. */
function takeClaim(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const owner = ownerOf(path);
    if (owner !== 0 && !isRunning(owner)) rmSync(path, { force: true });
    return false;
  }
}

/** Zero if the claim was just taken, or just given back. */
function ownerOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Quiet, so that the output of a test run stays readable. npm's errors are shown. */
async function runNpm(folder: string): Promise<void> {
  const command = ["ci", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = spawn("npm", command, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve) => npm.on("close", resolve).on("error", resolve));
  if (code !== 0) throw new Error(`packages could not be installed; try: npm ${command.slice(0, 3).join(" ")}`);
}
