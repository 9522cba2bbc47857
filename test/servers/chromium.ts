import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canRun, ensureInstalled, type Program } from "./debian.ts";

export const CHROMIUM: Program = {
  package: "chromium",
  isInstalled: () => canRun("chromium", "--version"),
  advice: "These tests need a browser: install Chromium, as the command chromium.",
};

/** Root has no use for the sandbox, and containers often lack what it needs. The pages are our own. */
export const SWITCHES = [
  ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-proxy-server"],
  ...["--disable-background-networking", "--disable-component-update"],
];

export interface Browser {
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** Opens a page in a headless Chromium with a profile of its own. */
export async function openPage(url: string): Promise<Browser> {
  await ensureInstalled(CHROMIUM);
  const profile = await mkdtemp(join(tmpdir(), "latchkey-chromium-"));
  const child = spawn("chromium", ["--headless", ...SWITCHES, `--user-data-dir=${profile}`, url], {
    stdio: "ignore",
    detached: true,
  });
  // Chromium is several processes: all are in the group that `detached` made.
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", kill);
  return {
    async close() {
      process.off("exit", kill);
      const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      kill();
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
