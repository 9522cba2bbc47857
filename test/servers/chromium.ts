import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Browser {
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** Opens a page in a headless Chromium with a profile of its own. */
export async function openPage(url: string): Promise<Browser> {
  await ensureInstalled();
  const profile = await mkdtemp(join(tmpdir(), "latchkey-chromium-"));
  // Root has no use for the sandbox, and containers often lack what it needs. The page is our own.
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
  const offline = ["--disable-background-networking", "--disable-component-update", "--no-proxy-server"];
  const child = spawn("chromium", [...args, ...offline, `--user-data-dir=${profile}`, url], {
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

async function ensureInstalled(): Promise<void> {
  if (await isInstalled()) return;
  if (process.getuid?.() === 0) {
    const options = ["-qq", "-o", "DPkg::Lock::Timeout=120"];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", [...options, "update"], { env }).catch(() => undefined);
    await run("apt-get", [...options, "install", "-y", "--no-install-recommends", "chromium"], { env }).catch(
      () => undefined,
    );
    if (await isInstalled()) return;
  }
  throw new Error("These tests need a browser: install Chromium, as the command chromium.");
}

function isInstalled(): Promise<boolean> {
  return run("chromium", ["--version"]).then(
    () => true,
    () => false,
  );
}
