import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

const START_TIMEOUT_MS = 10_000;
/** Another process may take the free port before redis-server does. */
const START_ATTEMPTS = 5;

interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** For SIGSTOP and SIGKILL. NaN with `TEST_REDIS_URL`, whose server is not ours: `process.kill` refuses it. */
  readonly pid: number;
  /** Kills the server, also a stopped one, and removes its directory. Harmless when repeated. */
  stop(): Promise<void>;
}

/** Starts a Redis of one's own on a free loopback port, without persistence; or uses the one at `TEST_REDIS_URL`. */
export async function startRedis(): Promise<RedisServer> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, port: Number(new URL(given).port || 6379), pid: Number.NaN, stop: async () => {} };

  await ensureInstalled();
  const dir = await mkdtemp(join(tmpdir(), "latchkey-redis-"));
  let failure = "";
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const port = await freePort();
    const server = spawnServer(port, dir);
    const outcome = await readiness(server);
    if (outcome === "ready" && server.pid !== undefined) {
      return { url: `redis://127.0.0.1:${port}`, port, pid: server.pid, stop: () => stop(server, dir) };
    }
    failure = outcome;
    await stop(server);
  }
  await rm(dir, { recursive: true, force: true });
  throw new Error(`redis-server does not start: ${failure}`);
}

async function ensureInstalled(): Promise<void> {
  if (await isInstalled()) return;
  if (process.getuid?.() === 0) {
    // Several test files may get here at once; the lock makes the later ones wait. RUNLEVEL=1: do not start the service.
    const options = ["-qq", "-o", "DPkg::Lock::Timeout=120"];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    await run("apt-get", [...options, "update"], { env }).catch(() => undefined);
    await run("apt-get", [...options, "install", "-y", "--no-install-recommends", "redis-server"], { env }).catch(
      () => undefined,
    );
    if (await isInstalled()) return;
  }
  throw new Error("These tests need Redis: install redis-server 7+ or set TEST_REDIS_URL.");
}

async function isInstalled(): Promise<boolean> {
  return await run("redis-server", ["--version"]).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("A TCP server has no port.");
  return address.port;
}

function spawnServer(port: number, dir: string): ChildProcess {
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", options, { stdio: ["ignore", "pipe", "ignore"] });
  // A test run that is cut short must not leave servers behind.
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  server.once("exit", () => process.off("exit", kill));
  return server;
}

/** `ready`, or why not. Keeps reading afterwards, so that the pipe never fills up. */
function readiness(server: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => settle(`not ready after ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const settle = (outcome: string) => {
      clearTimeout(timeout);
      resolve(outcome);
    };
    let last = "it says nothing";
    server.once("error", (err) => settle(err.message));
    server.once("close", () => settle(last));
    if (server.stdout === null) return;
    createInterface({ input: server.stdout }).on("line", (line) => {
      last = line;
      if (line.includes("Ready to accept connections")) settle("ready");
    });
  });
}

async function stop(server: ChildProcess, dir?: string): Promise<void> {
  if (server.pid !== undefined && server.exitCode === null && server.signalCode === null) {
    server.kill("SIGKILL");
    await once(server, "exit");
  }
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
}
