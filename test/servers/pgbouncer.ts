import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { canRun, ensureInstalled, type Program } from "./debian.ts";
import { freePort } from "./free-port.ts";
import { serverUser, withPort } from "./postgres.ts";

const PGBOUNCER: Program = {
  package: "pgbouncer",
  isInstalled: () => canRun("pgbouncer", "--version"),
  advice: "These tests need PgBouncer: install pgbouncer.",
};

const START_TIMEOUT_MS = 60_000;

export interface Pooler {
  /** The database that was given, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  readonly mode?: "session" | "transaction" | "statement";
  /** Connections to the server. */
  readonly poolSize?: number;
}

/** Starts PgBouncer, by default in transaction mode, in front of a database, configured as docs/storage.md says. */
export async function startPgBouncer(
  databaseUrl: string,
  { mode = "transaction", poolSize = 20 }: PoolerOptions = {},
): Promise<Pooler> {
  await ensureInstalled(PGBOUNCER);
  const dir = await mkdtemp(join(tmpdir(), "latchkey-pgbouncer-"));
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const file = join(dir, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 200
ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`,
  );
  // It refuses to run as root.
  await chmod(dir, 0o755);
  const child = spawn("pgbouncer", ["-q", file], { ...(await serverUser()), stdio: ["ignore", "ignore", "pipe"] });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill); // an aborted run must not leave a server behind
  child.once("exit", () => process.off("exit", kill));
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(dir, { recursive: true, force: true });
  };
  const url = withPort(databaseUrl, port);
  await ready(url, child).catch(async (err: unknown) => {
    await stop();
    throw err;
  });
  return { url, stop };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    const failure = await client.connect().then(
      () => undefined,
      (err: unknown) => err,
    );
    await client.end().catch(() => undefined);
    if (failure === undefined) return;
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`PgBouncer did not start: ${complaint.slice(-2_000)}`, { cause: failure });
    }
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
