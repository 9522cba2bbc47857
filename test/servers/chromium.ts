import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser as DrivenBrowser } from "playwright-core";
import { canRun, ensureInstalled, type Program } from "./debian.ts";

export const CHROMIUM: Program = {
  package: "chromium",
  isInstalled: () => canRun("chromium", "--version"),
  advice: "These tests need a browser: install Chromium, as the command chromium.",
};

/** The same browser without windows: a page takes a third of the CPU time. */
const HEADLESS_SHELL: Program = {
  ...CHROMIUM,
  package: "chromium-headless-shell",
  isInstalled: () => canRun("chromium-headless-shell", "--version"),
};

/** Root has no use for the sandbox, and containers often lack what it needs. The pages are our own. */
export const SWITCHES = [
  ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-proxy-server"],
  ...["--disable-background-networking", "--disable-component-update"],
];

/** Starts a headless browser, which Playwright drives. */
export async function launchBrowser(): Promise<DrivenBrowser> {
  return chromium.launch({ executablePath: await installedBrowser(), args: SWITCHES });
}

/** The path of the browser, which is installed if need be: Chromium where there is no headless shell. */
async function installedBrowser(): Promise<string> {
  try {
    await ensureInstalled(HEADLESS_SHELL);
    return "/usr/bin/chromium-headless-shell";
  } catch {
    await ensureInstalled(CHROMIUM);
    return "/usr/bin/chromium";
  }
}

export interface Browser {
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** Opens a page in a headless Chromium with a profile of its own. */
export async function openPage(url: string): Promise<Browser> {
  const browser = await installedBrowser();
  const profile = await mkdtemp(join(tmpdir(), "latchkey-chromium-"));
  const child = spawn(browser, ["--headless", ...SWITCHES, `--user-data-dir=${profile}`, url], {
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
