import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { canRun, ensureInstalled } from "../servers/debian.ts";
import { freePort } from "../servers/free-port.ts";

const READY_TIMEOUT_MS = 15_000;

export interface RunningProxy {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ProxyKind {
  readonly command: string;
  /** Debian's package of it. */
  readonly package: string;
  /** Its configuration, below `examples`. */
  readonly example: string;
  args(dir: string, file: string): string[];
}

/** Runs a proxy with its example's configuration and the ports of this test. */
export async function startProxy(
  kind: ProxyKind,
  ports: { latchkey: string; upstream: number },
): Promise<RunningProxy> {
  const port = await freePort();
  const example = await readFile(fileURLToPath(new URL(`../../examples/${kind.example}`, import.meta.url)), "utf8");
  const configuration = example
    .replaceAll("127.0.0.1:8080", new URL(ports.latchkey).host)
    .replaceAll("127.0.0.1:9000", `127.0.0.1:${ports.upstream}`)
    .replaceAll("127.0.0.1:8000", `127.0.0.1:${port}`);
  const proxy = await runProxy(kind, port, async () => configuration);
  return { ...proxy, url: `http://127.0.0.1:${port}` };
}

/** Runs a proxy with the configuration that is made for its folder, until it listens on the port. */
export async function runProxy(
  kind: ProxyKind,
  port: number,
  configure: (dir: string) => Promise<string>,
): Promise<Pick<RunningProxy, "stop">> {
  const { command, package: name } = kind;
  await ensureInstalled({
    package: name,
    isInstalled: () => canRun(command, command === "caddy" ? "version" : "-v"),
    advice: `These tests need ${command}: install Debian's package ${name}, or the like.`,
  });
  const dir = await mkdtemp(join(tmpdir(), "latchkey-proxy-"));
  const file = join(dir, "configuration");
  await writeFile(file, await configure(dir));
  const child = spawn(kind.command, kind.args(dir, file), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: dir },
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      // Ends nginx' workers, too.
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(dir, { recursive: true, force: true });
  };
  await listening(child, port).catch(async (err) => {
    await stop();
    throw err;
  });
  return { stop };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk) => {
    output += chunk;
  });
  await accepting(port).catch(() => {
    throw new Error(`The proxy does not start:\n${output}`);
  });
}

/** Waits until a port accepts connections. */
export async function accepting(port: number): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) throw new Error(`No listener on port ${port}.`);
    await sleep(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
