import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { chown, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { dataFolder } from "./data-folder.ts";
import { ensureInstalled } from "./debian.ts";
import { freePort } from "./free-port.ts";
import { killAtExit } from "./kill-at-exit.ts";

export interface PostgresServer {
  /** Of a superuser, on the database `postgres`. */
  readonly url: string;
  /** The folder of its Unix socket. Empty: it has none that is known. */
  readonly socketFolder: string;
  stop(): Promise<void>;
}

/** A server that a test may crash. */
export interface OwnPostgres extends PostgresServer {
  readonly port: number;
  /** Ends it at once, in the middle of what it is doing. What it committed is there again after `restart`. */
  crash(): Promise<void>;
  /** Ends it as an operator does: it breaks all connections, and writes what it has in memory. */
  shutDown(): Promise<void>;
  /** On the same port, with the same data. */
  restart(): Promise<void>;
  /** Copies it into a second server, which follows it through `port`: that of this server, or of a proxy of it. */
  startStandby(port?: number): Promise<Standby>;
  /** Stops it with all its processes: the kernel still takes connections, and nothing is answered until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

export interface Standby extends PostgresServer {
  readonly port: number;
  /** Makes it a primary, with what it has received so far. */
  promote(): Promise<void>;
}

const run = promisify(execFile);
const READY_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 5;
const ADVICE = "These tests need a PostgreSQL server: install PostgreSQL 15 or later, or set TEST_DATABASE_URL.";
/** A cluster has one superuser, called so by every distribution. */
const USER = "postgres";

/** Starts a real PostgreSQL of this machine in a folder of its own; with TEST_DATABASE_URL set, uses that one instead. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return { url: given, socketFolder: "", stop: async () => undefined };
  return startOwnPostgres(undefined, settings);
}

export async function startOwnPostgres(
  parent = dataFolder(),
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const bin = await binaries();
  const owner = await serverUser();
  const dir = await mkdtemp(join(parent, "latchkey-postgres-"));
  if (owner !== undefined) await chown(dir, owner.uid, owner.gid);
  const password = randomBytes(16).toString("hex");
  await createCluster(bin, dir, owner, password);
  const urlAt = (port: number) => `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  const started = await onFreePort(dir, urlAt, (port) => launch(bin, dir, owner, port, settings));
  const { url, port } = started;
  let { server } = started;
  return {
    url,
    socketFolder: dir,
    port,
    stop: () => endAndRemove(server, dir),
    crash: () => end(server.process),
    shutDown: () => end(server.process, "SIGINT"),
    async restart() {
      server = await launch(bin, dir, owner, port, settings);
      await ready(url, server);
    },
    startStandby: (through = port) => startStandby(bin, parent, owner, withPort(url, through)),
    freeze: () => signalAll(server.process, "SIGSTOP"),
    thaw: () => signalAll(server.process, "SIGCONT"),
  };
}

export async function endAndRemove(server: Launched, dir: string): Promise<void> {
  await end(server.process);
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Launches a server that has its data in `dir`, which is removed if it does not start. */
async function onFreePort(
  dir: string,
  urlAt: (port: number) => string,
  launchAt: (port: number) => Promise<Launched>,
): Promise<{ url: string; port: number; server: Launched }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const url = urlAt(port);
    const server = await launchAt(port);
    try {
      await ready(url, server);
      return { url, port, server };
    } catch (err) {
      await end(server.process);
      // Another process may take the port before PostgreSQL does.
      if (attempt < START_ATTEMPTS && String(err).includes("Address already in use")) continue;
      await endAndRemove(server, dir);
      throw err;
    }
  }
}

async function startStandby(bin: string, parent: string, owner: Owner, primaryUrl: string): Promise<Standby> {
  const dir = await mkdtemp(join(parent, "latchkey-standby-"));
  if (owner !== undefined) await chown(dir, owner.uid, owner.gid);
  const data = join(dir, "data");
  const asOwner = { ...owner, cwd: dir };
  const copying = ["-d", primaryUrl, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
  await run(join(bin, "pg_basebackup"), copying, asOwner);
  const { url, port, server } = await onFreePort(
    dir,
    (at) => withPort(primaryUrl, at),
    (at) => launch(bin, dir, owner, at),
  );
  return {
    url,
    socketFolder: dir,
    port,
    stop: () => endAndRemove(server, dir),
    promote: async () => void (await run(join(bin, "pg_ctl"), ["promote", "-w", "-D", data], asOwner)),
  };
}

/** The same database at another port of this machine. */
export function withPort(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}

/** A fresh, empty database on the server, with further options of `create database`; returns its URL. */
export function createDatabase(url: string, options = ""): Promise<string> {
  return createFrom("template0", url, options);
}

/** A copy of a database to which nobody is connected, on the same server; returns its URL. Then runs statements as its superuser. */
export function copyDatabase(
  url: string,
  statementsFor: (name: string) => readonly string[] = () => [],
): Promise<string> {
  // To write the copy to the log as well would double its cost.
  return createFrom(databaseOf(url), onDatabase(url, USER), "strategy file_copy", statementsFor);
}

async function createFrom(
  template: string,
  url: string,
  options: string,
  statementsFor: (name: string) => readonly string[] = () => [],
): Promise<string> {
  const name = `latchkey_${randomBytes(8).toString("hex")}`;
  await asAdmin(url, async (client) => {
    await client.query(`create database ${name} template ${template} ${options}`);
    for (const statement of statementsFor(name)) await client.query(statement);
  });
  return onDatabase(url, name);
}

/** The same database through a Unix socket, over which a short statement takes a third less CPU time than over TCP. */
export function overSocket(url: string, folder: string): string {
  const other = new URL(url);
  if (folder !== "") other.hostname = encodeURIComponent(folder);
  return other.href;
}

/** The same server and user, with another database. */
export function onDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** The name of the database. */
export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Removes what `createDatabase` made, whoever is connected: a server from TEST_DATABASE_URL outlives the tests. */
export async function dropDatabase(url: string, databaseUrl: string): Promise<void> {
  await asAdmin(url, (client) => client.query(`drop database if exists ${databaseOf(databaseUrl)} with (force)`));
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The folder that holds `initdb` and `postgres`. */
export async function binaries(): Promise<string> {
  await ensureInstalled({
    package: "postgresql",
    isInstalled: async () => (await findBinaries()) !== undefined,
    advice: ADVICE,
  });
  const found = await findBinaries();
  if (found === undefined) throw new Error(ADVICE);
  return found;
}

async function findBinaries(): Promise<string | undefined> {
  const candidates = [
    ...(await versions("/usr/lib/postgresql", "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
    ...(await versions("/opt/homebrew/opt", "bin", "postgresql")),
    ...(await versions("/usr/local/opt", "bin", "postgresql")),
  ];
  return candidates.find((dir) => existsSync(join(dir, "initdb")) && existsSync(join(dir, "postgres")));
}

/** Installed versions, the newest first. */
async function versions(root: string, bin: string, prefix = ""): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  return names
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((name) => join(root, name, bin));
}

/** Undefined: whoever runs the tests. */
export type Owner = { readonly uid: number; readonly gid: number } | undefined;

/** PostgreSQL refuses to run as root, so root runs it as somebody else. */
export async function serverUser(): Promise<Owner> {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ["postgres", "nobody"]) {
    const ids = await Promise.all([run("id", ["-u", user]), run("id", ["-g", user])]).catch(() => undefined);
    if (ids !== undefined) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.");
}

export async function createCluster(bin: string, dir: string, owner: Owner, password: string): Promise<void> {
  const passwordFile = join(dir, "password");
  await writeFile(passwordFile, scramVerifier(password), { mode: 0o600 });
  if (owner !== undefined) await chown(passwordFile, owner.uid, owner.gid);
  await run(
    join(bin, "initdb"),
    ["-D", join(dir, "data"), "-U", USER, "--pwfile", passwordFile, "-A", "scram-sha-256"].concat([
      "--encoding=UTF8",
      "--no-locale",
      "--no-sync",
    ]),
    { ...owner, cwd: dir },
  );
}

/**
 * What PostgreSQL stores of a password (RFC 5803), of one iteration: the 4,096 that it takes by itself are half of the CPU of a
 * connection, and a run makes thousands.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 1, 32, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  return `SCRAM-SHA-256$1:${salt.toString("base64")}$${storedKey}:${keyOf("Server Key").toString("base64")}`;
}

export interface Launched {
  readonly process: ChildProcess;
  readonly log: string;
}

/** Survives its own crash but not the machine's, which makes it fast; reachable from this machine only. */
export async function launch(
  bin: string,
  dir: string,
  owner: Owner,
  port: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Launched> {
  const log = join(dir, "log");
  const output = await open(log, "w");
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: dir,
    max_connections: "400",
    fsync: "off",
    full_page_writes: "off",
    ...more,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(join(bin, "postgres"), ["-D", join(dir, "data"), ...options], {
    ...owner,
    cwd: dir,
    stdio: ["ignore", output.fd, output.fd],
  });
  await output.close();
  killAtExit(child, () => {
    child.kill("SIGQUIT");
    // It may be in memory, which nothing else would free.
    rmSync(dir, { recursive: true, force: true });
  });
  return { process: child, log };
}

export async function ready(url: string, server: Launched): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await asAdmin(url, (client) => client.query("select 1"));
    } catch (err) {
      if (server.process.exitCode !== null || Date.now() > deadline) {
        const log = await readFile(server.log, "utf8").catch(() => "no log was written");
        throw new Error(`PostgreSQL did not start: ${log.slice(-2_000)}`, { cause: err });
      }
      await sleep(50);
    }
  }
}

/** Each is a process group of its own. The postmaster stands still meanwhile, so that none is started nor reaped. */
async function signalAll(postmaster: ChildProcess, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  postmaster.kill("SIGSTOP");
  const { stdout } = await run("ps", ["-A", "-o", "ppid=,pid="]);
  for (const line of stdout.trim().split("\n")) {
    const [parent, pid] = line.trim().split(/\s+/).map(Number);
    if (parent === postmaster.pid && pid !== undefined) process.kill(pid, signal);
  }
  postmaster.kill(signal);
}

/** SIGQUIT ends it at once, without a checkpoint, as a crash would; but unlike SIGKILL it takes all its processes along. */
export async function end(server: ChildProcess, signal: "SIGQUIT" | "SIGINT" = "SIGQUIT"): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  }
}
