// promise: guards.check
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { freePort } from "../servers/free-port.ts";
import { needs, output } from "./callers.ts";
import { PEERS_DIR } from "./go-tools.ts";
import { installPacked } from "./packed-project.ts";
import { createVenv } from "./venv.ts";

// The examples for frameworks that have no guard of their own, each from the files as they stand there.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLES = join(ROOT, "examples");
const START_TIMEOUT_MS = 120_000;
const NEST = ["@nestjs/common@12.5.1", "@nestjs/core@12.5.1", "@nestjs/platform-express@12.5.1"];
const NEST_TOOLS = ["reflect-metadata@0.2.2", "rxjs@7.8.2", "typescript@5.9.3", "@types/node@24.19.2"];

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await startLatchkey();
});
afterAll(() => latchkey?.close());

/** A command that serves the example, where it has been built. */
interface Built {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly folder: string;
  readonly env?: Record<string, string>;
  remove(): Promise<void>;
}

async function copied(example: string): Promise<Pick<Built, "folder" | "remove">> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${example}-`));
  await cp(join(EXAMPLES, example), folder, { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

const BUILDS = {
  nestjs: async () => {
    const project = await installPacked(...NEST, ...NEST_TOOLS);
    const { folder } = project;
    await cp(join(EXAMPLES, "nestjs/main.ts"), join(folder, "main.ts"));
    const options = ["--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
    const tsc = join(folder, "node_modules/typescript/bin/tsc");
    await output(process.execPath, [tsc, "main.ts", ...options, "--experimentalDecorators"], { cwd: folder });
    return { ...project, command: process.execPath, args: () => ["main.js"] };
  },
  django: async () => {
    const venv = await createVenv(join(ROOT, "clients/python"), "django==5.2.19");
    const args = (port: number) => [join(EXAMPLES, "django/plans.py"), "runserver", "--noreload", `127.0.0.1:${port}`];
    return { ...venv, folder: venv.dir, command: join(venv.dir, "bin/python"), args };
  },
  spring: async () => {
    const advice = "The example for Spring needs Java 17 or later and Maven: install both.";
    await needs(advice, "java", "-version");
    await needs(advice, "mvn", "-v");
    const project = await copied("spring");
    await output("mvn", ["-q", "-B", "package"], { cwd: project.folder });
    const jar = join(project.folder, "target/plans-0.1.0.jar");
    return { ...project, command: "java", args: (port: number) => ["-jar", jar, `--server.port=${port}`] };
  },
  tonic: async () => {
    await needs("The example for tonic needs Rust 1.88 or later: install it with rustup.", "cargo", "--version");
    const project = await copied("tonic");
    // Kept between runs: the crates take minutes.
    const target = join(PEERS_DIR, "tonic");
    await output("cargo", ["build", "-q", "--locked", "--target-dir", target], { cwd: project.folder });
    return { ...project, command: join(target, "debug/plans"), args: () => [] };
  },
} satisfies Record<string, () => Promise<Built>>;

/** Serves a built example until the test ends. */
async function served({ command, args, folder, env }: Built, latchkeyUrl: string): Promise<string> {
  const port = await freePort();
  const child = spawn(command, args(port), {
    cwd: folder,
    env: { ...process.env, ...env, LATCHKEY_URL: latchkeyUrl, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    problem += chunk;
  });
  onTestFinished(() => stop(child));
  const untilMs = performance.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (performance.now() > untilMs || child.exitCode !== null)
      throw new Error(`${command} does not serve: ${problem}`);
    await sleep(100);
  }
  return `http://127.0.0.1:${port}`;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

/** The answer of an example to a request with some headers. */
type Call = (
  url: string,
  headers: [string, string][],
) => Promise<{ status: number | string; text: string; id: string }>;

const overHttp: Call = async (url, headers) => {
  const answer = await fetch(`${url}/plans`, { headers });
  return { status: answer.status, text: await answer.text(), id: answer.headers.get("x-request-id") ?? "" };
};
/** The statuses of denials over HTTP, by the codes of gRPC. */
const STATUSES: Readonly<Record<number, number>> = { 7: 403, 14: 503, 16: 401 };
const overGrpc: Call = async (baseUrl, headers) => {
  const client = createClient(Health, createGrpcTransport({ baseUrl }));
  try {
    await client.check({}, { headers: new Headers(headers) });
    return { status: 200, text: "", id: "" };
  } catch (err) {
    const { code, rawMessage } = ConnectError.from(err);
    return { status: STATUSES[code] ?? code, text: rawMessage, id: "" };
  }
};

describe.each(Object.entries(BUILDS))("the example for %s", (name, build) => {
  const call = name === "tonic" ? overGrpc : overHttp;
  let built: Built;
  beforeAll(async () => {
    built = await build();
  }, 1_200_000);
  afterAll(() => built?.remove());

  test("admits by the scope, and answers a denial as Latchkey does", async () => {
    const tenant = newTenant();
    const keyFor = async (...permissions: string[]) =>
      (await latchkey.createKey(await latchkey.dashboard(tenant), { permissions })).key;
    const [reader, other] = [await keyFor("plans:*"), await keyFor("billing:read")];
    const url = await served(built, latchkey.url);
    const admitted = await call(url, [["x-api-key", reader]]);
    const forbidden = await call(url, [["x-api-key", other]]);
    const twice = await call(url, [
      ["authorization", "Bearer a"],
      ["x-api-key", reader],
      ["x-api-key", other],
    ]);
    const denied = await call(url, []);
    expect([admitted, forbidden, twice, denied].map(({ status }) => status)).toEqual([200, 403, 401, 401]);
    if (call === overGrpc) {
      expect(denied.text).toContain("API key");
      return;
    }
    expect(JSON.parse(admitted.text)).toMatchObject({ tenant_id: tenant });
    expect(JSON.parse(denied.text)).toMatchObject({ denial_reason: "missing_credentials" });
    for (const { id } of [admitted, denied]) expect(id).toMatch(/^req_/);
  }, 180_000);

  test("serves nothing while Latchkey does not decide", async () => {
    const url = await served(built, "http://127.0.0.1:1");
    expect((await call(url, [["x-api-key", "sk_x"]])).status).toBe(503);
  }, 180_000);
});
