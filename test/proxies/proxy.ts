import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../servers/free-port.ts";

const READY_TIMEOUT_MS = 60_000;

export interface RunningProxy {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ProxyKind {
  /** Its configuration below `examples`; else a name for one. */
  readonly example: string;
  /** Its program, which is installed first if need be. */
  program(): Promise<string>;
  /** Of a run with this configuration, which may listen on the port if the configuration does not say where. */
  args(dir: string, file: string, port: number): string[];
}

/** Runs a proxy with its example's configuration and the ports of this test. */
export async function startProxy(
  kind: ProxyKind,
  ports: { latchkey: string; upstream: number },
): Promise<RunningProxy> {
  const port = await freePort();
  const example = await readFile(fileURLToPath(new URL(`../../examples/${kind.example}`, import.meta.url)), "utf8");
  const configuration = withPorts(example, {
    8080: Number(new URL(ports.latchkey).port),
    9000: ports.upstream,
    8000: port,
  });
  const proxy = await runProxy(kind, port, async () => configuration);
  const url = `http://127.0.0.1:${port}`;
  await routing(url);
  return { ...proxy, url };
}

/** Traefik listens before it has read its routes. */
async function routing(url: string): Promise<void> {
  while ((await fetch(`${url}/plans/`)).status === 404) await sleep(20);
}

/** An example's text with other ports of the loopback, which Envoy writes in a member of their own. */
export function withPorts(text: string, ports: Readonly<Record<number, number>>): string {
  return text.replaceAll(
    /(127\.0\.0\.1(?::|, port_value: ))(\d+)/g,
    (_, before: string, port: string) => `${before}${ports[Number(port)] ?? port}`,
  );
}

/** Runs a proxy with the configuration that is made for its folder, until it listens on the port. */
export async function runProxy(
  kind: ProxyKind,
  port: number,
  configure: (dir: string) => Promise<string>,
): Promise<Pick<RunningProxy, "stop">> {
  const program = await kind.program();
  const dir = await mkdtemp(join(tmpdir(), "latchkey-proxy-"));
  // Envoy and Traefik read a file by the end of its name.
  const file = join(dir, basename(kind.example));
  await writeFile(file, await configure(dir));
  const child = spawn(program, kind.args(dir, file, port), {
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
