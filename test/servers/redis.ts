import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { CertificateFiles } from "../../src/config/settings.ts";
import { canRun, ensureInstalled, type Program } from "./debian.ts";
import { freePort } from "./free-port.ts";
import { killAtExit } from "./kill-at-exit.ts";

const REDIS: Program = {
  package: "redis-server",
  isInstalled: () => canRun("redis-server", "--version"),
  advice: "These tests need Redis: install redis-server 7+ or set TEST_REDIS_URL.",
};

const START_TIMEOUT_MS = 60_000;
/** Another process may take the free port before redis-server does. */
const START_ATTEMPTS = 5;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** For SIGSTOP and SIGKILL. NaN with `TEST_REDIS_URL`, whose server is not ours: `process.kill` refuses it. */
  readonly pid: number;
  /** Kills the server, also a stopped one, and removes its directory. Harmless when repeated. */
  stop(): Promise<void>;
}

export interface RedisSettings {
  /** Default: a free one. One that was in use before is waited for. */
  readonly port?: number;
  /** Further options of redis-server, such as `--requirepass`. */
  readonly args?: readonly string[];
  /** Serves TLS alone, with this certificate. */
  readonly tls?: CertificateFiles | undefined;
}

/** Starts a Redis on a free loopback port, without persistence; or uses the one at `TEST_REDIS_URL`. */
export async function startRedis(): Promise<RedisServer> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, port: Number(new URL(given).port || 6379), pid: Number.NaN, stop: async () => {} };
  return startOwnRedis();
}

/** Starts a Redis that may be stopped, killed and filled with rubbish, whatever `TEST_REDIS_URL` says. */
export async function startOwnRedis({ port, args = [], tls }: RedisSettings = {}): Promise<RedisServer> {
  const server = await launch(port, (own, dir) => [
    ...(tls === undefined ? ["--port", `${own}`] : tlsArgs(own, tls)),
    ...["--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"],
    ...args,
  ]);
  return tls === undefined ? server : { ...server, url: server.url.replace("redis:", "rediss:") };
}

function tlsArgs(port: number, { certFile, keyFile }: CertificateFiles): string[] {
  return [
    ...["--port", "0", "--tls-port", `${port}`, "--tls-auth-clients", "no", "--tls-replication", "yes"],
    ...["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", certFile],
  ];
}

export interface RedisCluster {
  /** Of the form `redis+cluster://`, naming two of the nodes: a client must find the third. */
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;

export interface ClusterSettings {
  readonly password?: string;
  /** Between the nodes, too. The nodes are then called localhost. */
  readonly tls?: CertificateFiles;
}

/** Starts a cluster of three nodes without replicas, each with a third of the slots. */
export async function startRedisCluster({ password = "", tls }: ClusterSettings = {}): Promise<RedisCluster> {
  const buses = await Promise.all([freePort(), freePort(), freePort()]);
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--requirepass", password];
  if (tls !== undefined)
    args.push(
      ..."--tls-cluster yes --cluster-announce-hostname localhost --cluster-preferred-endpoint-type hostname".split(
        " ",
      ),
    );
  const nodes = await Promise.all(
    buses.map((bus) => startOwnRedis({ args: [...args, "--cluster-port", `${bus}`], tls })),
  );
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  const options = { ...(password !== "" && { password }), ...(tls !== undefined && { tls: {} }) };
  const clients = nodes.map(({ port }) => new Redis(port, "localhost", options));
  try {
    await meet(clients, nodes, buses);
  } catch (err) {
    await stop();
    throw err;
  } finally {
    for (const client of clients) client.disconnect();
  }
  const credentials = password === "" ? "" : `:${encodeURIComponent(password)}@`;
  const listed = nodes.slice(0, 2).map(({ port }) => `${tls === undefined ? "127.0.0.1" : "localhost"}:${port}`);
  const scheme = tls === undefined ? "redis+cluster" : "rediss+cluster";
  return { url: `${scheme}://${credentials}${listed.join(",")}`, nodes, stop };
}

async function meet(clients: readonly Redis[], nodes: readonly RedisServer[], buses: readonly number[]): Promise<void> {
  for (const [n, client] of clients.entries()) {
    const [first, next] = [n, n + 1].map((part) => Math.floor((part * SLOTS) / clients.length)) as [number, number];
    await client.call("CLUSTER", "ADDSLOTSRANGE", first, next - 1);
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", n + 1);
    if (n > 0) await client.call("CLUSTER", "MEET", "127.0.0.1", nodes[0]?.port ?? 0, buses[0] ?? 0);
  }
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (const client of clients) {
    for (;;) {
      const info = String(await client.call("CLUSTER", "INFO"));
      if (info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${clients.length}`)) break;
      if (Date.now() > deadline) throw new Error(`The Redis cluster does not come together:\n${info}`);
      await sleep(50);
    }
  }
}

/** How a sentinel, and the primary that it watches, are reached. */
export interface SentinelSettings {
  readonly port: number;
  readonly password?: string;
  /** Of the sentinel itself. */
  readonly ownPassword?: string;
  /** Of both. */
  readonly tls?: CertificateFiles;
}

/** Starts one sentinel that watches a primary and, alone, decides on its successor. `url` is the sentinel's. */
export async function startSentinel(name: string, primary: SentinelSettings): Promise<RedisServer> {
  const { ownPassword, tls } = primary;
  return launch(undefined, async (port, dir) => {
    const file = join(dir, "sentinel.conf");
    const lines = [
      ...(tls === undefined ? [`port ${port}`] : tlsLines(port, tls)),
      ...(ownPassword === undefined ? [] : [`requirepass ${ownPassword}`]),
      "bind 127.0.0.1",
      `dir ${dir}`,
      ...(tls === undefined ? [] : ["sentinel resolve-hostnames yes", "sentinel announce-hostnames yes"]),
      `sentinel monitor ${name} ${tls === undefined ? "127.0.0.1" : "localhost"} ${primary.port} 1`,
      `sentinel down-after-milliseconds ${name} 500`,
      `sentinel failover-timeout ${name} 3000`,
      ...(primary.password === undefined ? [] : [`sentinel auth-pass ${name} ${primary.password}`]),
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    return [file, "--sentinel"];
  });
}

function tlsLines(port: number, tls: CertificateFiles): string[] {
  return tlsArgs(port, tls)
    .join(" ")
    .split(/^--| --/)
    .filter((line) => line !== "");
}

async function launch(
  wanted: number | undefined,
  argsFor: (port: number, dir: string) => readonly string[] | Promise<readonly string[]>,
): Promise<RedisServer> {
  await ensureInstalled(REDIS);
  const dir = await mkdtemp(join(tmpdir(), "latchkey-redis-"));
  let failure = "";
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const port = wanted ?? (await freePort());
    const server = spawnServer(await argsFor(port, dir));
    const outcome = await readiness(server);
    if (outcome === "ready" && server.pid !== undefined) {
      return { url: `redis://127.0.0.1:${port}`, port, pid: server.pid, stop: () => stop(server, dir) };
    }
    failure = outcome;
    await stop(server);
    if (wanted !== undefined) await sleep(100);
  }
  await rm(dir, { recursive: true, force: true });
  throw new Error(`redis-server does not start: ${failure}`);
}

function spawnServer(args: readonly string[]): ChildProcess {
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  killAtExit(server);
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
      if (/Ready to accept connections|Sentinel ID is/.test(line)) settle("ready");
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
