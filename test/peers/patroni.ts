import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { parse } from "yaml";
import { canRun, ensureInstalled } from "../servers/debian.ts";
import { freePort } from "../servers/free-port.ts";
import { killAtExit } from "../servers/kill-at-exit.ts";
import { binaries, type Owner, serverUser } from "../servers/postgres.ts";
import { blocksOf } from "./callers.ts";
import { createVenvOf, type Venv } from "./venv.ts";

const PATRONI = "4.1.5";
const SCOPE = "latchkey";
const NAMES = ["a", "b", "c"] as const;
const SUPERUSER = { username: "postgres", password: "superuser-of-this-test" };
const REPLICATION = { username: "replication", password: "replication-of-this-test" };
const START_MS = 120_000;
const PAUSE_MS = 50;

/** A PostgreSQL server and the Patroni that runs it. */
export interface Member {
  readonly name: string;
  readonly port: number;
  /** Of its Patroni. */
  readonly apiPort: number;
  /** Whether its Patroni says that it is the primary. */
  isPrimary(): Promise<boolean>;
  /** Kills Patroni and PostgreSQL with SIGKILL. */
  kill(): Promise<void>;
  /** Kills Patroni with SIGKILL. Its PostgreSQL goes on. */
  killPatroni(): Promise<void>;
  start(): Promise<void>;
}

/** Three members with etcd. Each commit waits for one of the two standbys, and no standby that lacks it is promoted. */
export interface PatroniCluster {
  readonly members: readonly Member[];
  /** The database `postgres` as the superuser, on one member. */
  urlOf(member: Member): string;
  primary(): Promise<Member>;
  /** Resolves when there is one primary, and both others follow it. */
  settled(): Promise<void>;
  patronictl(...args: string[]): Promise<string>;
  /** What the processes have logged, for a test that fails. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** Throws one line where a tool is missing. */
export async function startPatroni(): Promise<PatroniCluster> {
  await ensureInstalled({
    package: "etcd-server",
    isInstalled: () => canRun("etcd", "--version"),
    advice: "The tests with Patroni need etcd: install Debian's package etcd-server.",
  });
  const bin = await binaries();
  const owner = await serverUser();
  const venv = await createVenvOf(await pythonOf(owner), [`patroni[etcd3,psycopg3]==${PATRONI}`]);
  const dir = await mkdtemp(join(tmpdir(), "latchkey-patroni-"));
  const stops: (() => Promise<void>)[] = [];
  const members: OwnMember[] = [];
  const killPostmasters = () => {
    for (const pid of members.flatMap(({ data }) => postmasterOf(data))) process.kill(pid, "SIGKILL");
  };
  // Of a run that is cut short, also where Patroni is gone.
  process.on("exit", killPostmasters);
  const stop = async () => {
    for (const end of stops.reverse()) await end();
    process.off("exit", killPostmasters);
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    await venv.remove();
  };
  try {
    // The server's user runs Patroni.
    await chmod(venv.dir, 0o755);
    if (owner !== undefined) await chown(dir, owner.uid, owner.gid);
    const etcd = await startEtcd(dir);
    stops.push(etcd.stop);
    for (const name of NAMES) members.push(await createMember({ name, dir, bin, owner, venv, etcdPort: etcd.port }));
    for (const member of members) stops.push(() => member.kill());
    const cluster = clusterOf(members, dir, venv, stop);
    // The first one is to begin the cluster.
    for (const member of members) {
      await member.start();
      if (member === members[0]) await until(() => member.isPrimary(), cluster.logs);
    }
    await cluster.settled();
    return cluster;
  } catch (err) {
    await stop();
    throw err;
  }
}

/** The Python that the server's user finds, which may be another one than root's. */
async function pythonOf(owner: Owner): Promise<string> {
  const named = ["-c", "import sys; print(sys.executable)"];
  const found = await promisify(execFile)("python3", named, { ...owner }).catch(() => undefined);
  return found?.stdout.trim() ?? "python3";
}

async function startEtcd(dir: string): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const [port, peers] = [await freePort(), await freePort()];
  const clients = `http://127.0.0.1:${port}`;
  const child = await logged(dir, "etcd", "etcd", [
    ...["--data-dir", join(dir, "etcd"), "--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", `http://127.0.0.1:${peers}`],
  ]);
  return { port, stop: () => killed(child) };
}

interface MemberOptions {
  readonly name: string;
  readonly dir: string;
  readonly bin: string;
  readonly owner: Owner;
  readonly venv: Venv;
  readonly etcdPort: number;
}

interface OwnMember extends Member {
  readonly config: string;
  readonly data: string;
}

const urlOfApi = ({ apiPort }: Pick<Member, "apiPort">) => `http://127.0.0.1:${apiPort}`;

async function createMember({ name, dir, bin, owner, venv, etcdPort }: MemberOptions): Promise<OwnMember> {
  const [port, apiPort] = [await freePort(), await freePort()];
  const home = join(dir, name);
  await mkdir(home);
  if (owner !== undefined) await chown(home, owner.uid, owner.gid);
  const config = join(dir, `${name}.json`);
  const data = join(home, "data");
  await writeFile(
    config,
    JSON.stringify(configOf(await guideSettings(), { name, home, data, bin, port, apiPort, etcdPort })),
  );
  let patroni: ChildProcess | undefined;
  const killPatroni = async () => {
    if (patroni !== undefined) await killed(patroni);
  };
  return {
    name,
    port,
    config,
    data,
    apiPort,
    isPrimary: () =>
      fetch(`${urlOfApi({ apiPort })}/primary`).then(
        ({ ok }) => ok,
        () => false,
      ),
    async kill() {
      // First Patroni, which would start PostgreSQL again.
      await killPatroni();
      await killPostmaster(data);
    },
    killPatroni,
    async start() {
      patroni = await logged(dir, name, join(venv.dir, "bin/patroni"), [config], { ...owner, cwd: home });
    },
  };
}

type Places = Record<"name" | "home" | "data" | "bin", string> & Record<"port" | "apiPort" | "etcdPort", number>;

/** JSON is YAML. `dcs`: what the guide says. */
function configOf(dcs: object, { name, home, data, bin, port, apiPort, etcdPort }: Places) {
  return {
    scope: SCOPE,
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: { dcs, initdb: [{ encoding: "UTF8" }, "no-locale", "no-sync"] },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: bin,
      pgpass: join(home, "pgpass"),
      authentication: { superuser: SUPERUSER, replication: REPLICATION },
      parameters: { unix_socket_directories: home },
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
    },
  };
}

/** The settings of the cluster in the guide: what is tested is what it says. */
async function guideSettings(): Promise<object> {
  const blocks = blocksOf(await readFile("docs/guides/deploy.md", "utf8"), "yaml");
  const [block, ...others] = blocks.filter((each) => /^synchronous_mode:/m.test(each));
  if (block === undefined || others.length > 0) throw new Error("deploy.md has no settings of Patroni, or several");
  return parse(block);
}

function clusterOf(members: readonly OwnMember[], dir: string, venv: Venv, stop: () => Promise<void>): PatroniCluster {
  const logs = async () => {
    const texts = ["etcd", ...NAMES].map((name) => readFile(join(dir, `${name}.log`), "utf8").catch(() => ""));
    return (await Promise.all(texts)).map((text) => text.slice(-6_000)).join("\n\n");
  };
  /** What any Patroni says of all members. */
  async function states(): Promise<MemberState[]> {
    for (const member of members) {
      const answer = await fetch(`${urlOfApi(member)}/cluster`).catch(() => undefined);
      if (answer?.ok === true) return ((await answer.json()) as { members: MemberState[] }).members;
    }
    return [];
  }
  const findPrimary = async () => {
    for (const member of members) if (await member.isPrimary()) return member;
    return undefined;
  };
  return {
    members,
    urlOf: ({ port }) => `postgres://${SUPERUSER.username}:${SUPERUSER.password}@127.0.0.1:${port}/postgres`,
    async primary() {
      await until(async () => (await findPrimary()) !== undefined, logs);
      return (await findPrimary()) ?? this.primary();
    },
    settled: () =>
      until(async () => {
        const each = await states();
        const following = each.filter(({ role, state }) => role === "quorum_standby" && state === "streaming");
        return (await findPrimary()) !== undefined && following.length === NAMES.length - 1;
      }, logs),
    patronictl: (...args) => venv.run("patronictl", ["-c", members[0]?.config ?? "", ...args]),
    logs,
    stop,
  };
}

interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

async function until(isSo: () => Promise<boolean>, logs: () => Promise<string>): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Patroni is not ready:\n${await logs()}`);
    await sleep(PAUSE_MS);
  }
}

async function logged(
  dir: string,
  name: string,
  program: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly gid?: number; readonly cwd?: string } = {},
): Promise<ChildProcess> {
  const log = await open(join(dir, `${name}.log`), "a");
  const child = spawn(program, args, { ...options, stdio: ["ignore", log.fd, log.fd] });
  // Rejects where the program cannot be run.
  await Promise.all([once(child, "spawn"), log.close()]);
  killAtExit(child);
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function killPostmaster(data: string): Promise<void> {
  for (const pid of postmasterOf(data)) process.kill(pid, "SIGKILL");
  // Its processes notice it.
  while (postmasterOf(data).length > 0) await sleep(PAUSE_MS);
}

/** The process id of the server of a folder, if it runs: the file of one that was killed is still there. */
function postmasterOf(data: string): number[] {
  try {
    const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    const command = execFileSync("ps", ["-o", "args=", "-p", pid], { encoding: "utf8" });
    return command.includes(data) ? [Number(pid)] : [];
  } catch {
    return [];
  }
}
