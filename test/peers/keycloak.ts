import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { canRun } from "../servers/debian.ts";
import { freePort } from "../servers/free-port.ts";

const run = promisify(execFile);

const VERSION = "26.0.7";
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
/** Kept between runs. */
const PEERS_DIR = resolve(".latchkey/peers");
/** It augments itself at its first start, which takes minutes where the machine is busy. */
const START_TIMEOUT_MS = 600_000;
const ADMIN = { username: "admin", password: "admin-of-this-test" };

/** A Keycloak of its own, with nothing but its master realm. */
export interface Keycloak {
  readonly url: string;
  /** Calls its admin API. Returns the parsed answer, if it has one; throws for an error. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Downloads Keycloak by Maven, once, and starts it in development mode. Throws one line where a tool is missing. */
export async function startKeycloak(): Promise<Keycloak> {
  for (const [tool, ...args] of [
    ["java", "-version"],
    ["mvn", "-v"],
    ["unzip", "-v"],
  ] as const) {
    if (!(await canRun(tool, ...args)))
      throw new Error(`The tests with Keycloak need ${tool}: install Java 17, Maven and unzip.`);
  }
  const home = await download();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    join(home, "bin/kc.sh"),
    ["start-dev", "--db=dev-mem", `--http-port=${port}`, "--http-host=127.0.0.1"],
    {
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
        JAVA_OPTS_KC_HEAP: "-Xmx512m",
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output = `${output}${chunk}`.slice(-4_000)));
  try {
    await untilUp(`${url}/realms/master`, child);
  } catch (err) {
    await end(child);
    throw new Error(`Keycloak did not start: ${output}`, { cause: err });
  }
  return {
    url,
    admin: (method, path, body) => callAdmin(url, method, path, body),
    stop: () => end(child),
  };
}

async function download(): Promise<string> {
  const home = join(PEERS_DIR, `keycloak-${VERSION}`);
  if (
    await access(home).then(
      () => true,
      () => false,
    )
  )
    return home;
  await mkdir(PEERS_DIR, { recursive: true });
  await run("mvn", ["-q", "dependency:copy", `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${PEERS_DIR}`]);
  await run("unzip", ["-q", "-o", join(PEERS_DIR, `keycloak-quarkus-dist-${VERSION}.zip`), "-d", PEERS_DIR]);
  return home;
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  const untilMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < untilMs) {
    if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}`);
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await sleep(500);
  }
  throw new Error(`no answer within ${START_TIMEOUT_MS} ms`);
}

/** Its script starts Java as a child: the whole group is ended. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await ended;
}

async function callAdmin(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const token = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...ADMIN }),
  }).then((response) => response.json() as Promise<{ access_token: string }>);
  const response = await fetch(`${url}/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${token.access_token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
