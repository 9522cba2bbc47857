import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { post } from "../harness/http.ts";
import { freePort } from "../servers/free-port.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { problemsOfBom } from "./image/cyclonedx.ts";
import { buildImage, type Image } from "./image/image.ts";
import { limitMemory, type MemoryLimit } from "./image/memory-limit.ts";

// The Dockerfile's own steps and command, without Docker: container.sh stands for it, and this machine's programs for the
// base image. CI builds and starts the image itself.

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Without the base image. What makes it larger is noticed here before every node pulls it. */
const IMAGE_BYTES_MAX = 140 * 1024 * 1024;
const OPERATOR_TOKEN = "operator-token-of-the-image-0123456789";
const START_TIMEOUT_MS = 60_000;
const REQUESTS = 20_000;

let image: Image;
beforeAll(async () => {
  image = await buildImage();
}, 900_000);
afterAll(() => image?.remove());

interface Container {
  readonly child: ChildProcess;
  readonly url: string;
  readonly limit: MemoryLimit;
  readonly env: Record<string, string>;
  output(): string;
  /** Runs HEALTHCHECK beside it; resolves with its exit code. */
  checkHealth(): Promise<unknown>;
}

/** Starts the image's command with 512 MB of memory, and waits until it is ready. */
async function start(settings: Record<string, string>): Promise<Container> {
  const limit = await limitMemory(MEMORY_BYTES);
  const port = String(await freePort());
  // On a machine that runs other tests, too, some of many requests would be refused.
  const env = { HOST: "127.0.0.1", PORT: port, DRAIN_SECONDS: "0", OVERLOAD_WAIT_MS: "0", OPERATOR_TOKEN, ...settings };
  const child = await image.start(image.command, env, limit.folder);
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await limit.remove();
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const url = `http://127.0.0.1:${env.PORT}`;
  const untilMs = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > untilMs) throw new Error(`it does not start:\n${output}`);
    await sleep(100);
  }
  const checkHealth = async () => (await once(await image.start(image.health, env), "exit"))[0];
  return { child, url, limit, env, output: () => output, checkHealth };
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

async function statusOf({ child }: Container): Promise<Record<string, string>> {
  const lines = (await readFile(`/proc/${child.pid}/status`, "utf8")).split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/)).map(([name = "", value = ""]) => [name, value]));
}

async function createKey(url: string): Promise<string> {
  const authorization = `Bearer ${OPERATOR_TOKEN}`;
  const body = { tenant_id: "ten_image", name: "a key", permissions: ["plans:read"] };
  const { json, text } = await post(url, "/api/v1/operator/keys/create", body, { authorization });
  expect(json.result?.key, text).toMatch(/^sk_/);
  return json.result.key;
}

async function verifyOften(url: string, key: string): Promise<void> {
  let left = REQUESTS;
  const caller = async () => {
    while (left-- > 0) {
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const response = await fetch(`${url}/api/v1/auth/verify`, { method: "POST", headers, body: "{}" });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 32 }, caller));
}

describe.each(["PostgreSQL and Redis", "the embedded store, as with nothing configured"])("with %s", (storage) => {
  async function settings(): Promise<Record<string, string>> {
    if (storage.startsWith("the embedded")) return {};
    const url = await createDatabase(inject("postgresUrl"));
    onTestFinished(() => dropDatabase(inject("postgresUrl"), url));
    return { DATABASE_URL: url, REDIS_URL: inject("redisUrl") };
  }

  // threat: H17
  test("the image serves without root, with a read-only file system, within 512 MB, and ends with 0", async () => {
    const container = await start(await settings());
    const { Uid, Gid, CapEff, CapBnd, NoNewPrivs } = await statusOf(container);
    expect([Uid, Gid]).toEqual(["1000\t1000\t1000\t1000", "1000\t1000\t1000\t1000"]);
    expect([CapEff, CapBnd, NoNewPrivs]).toEqual(["0".repeat(16), "0".repeat(16), "1"]);

    expect(await container.checkHealth()).toBe(0);
    const command = await image.start(["dist/latchkey.js", "operator", "tenants", "list"], container.env);
    expect((await once(command, "exit"))[0], "latchkey, with the container's own environment").toBe(0);
    await verifyOften(container.url, await createKey(container.url));
    expect(await container.limit.kills()).toBe(0);
    const peak = await container.limit.peak();
    console.log(`with ${storage}: at most ${(peak / 1024 / 1024).toFixed(0)} MiB`);
    expect(peak).toBeLessThanOrEqual(MEMORY_BYTES);

    container.child.kill("SIGTERM");
    expect((await once(container.child, "exit"))[0], container.output()).toBe(0);
    expect(await container.checkHealth()).toBe(1);
  });
});

test("nothing can be written but the volume, not even by the image's own user", async () => {
  const script =
    "for file in /app/x /app/dist/x /tmp/x /x /data/x; do touch $file 2>/dev/null && echo $file; done; true";
  const child = await image.start(["/bin/sh", "-c", script]);
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  await once(child, "close");
  expect(output).toBe("/data/x\n");
});

test("the image migrates a database, once", async () => {
  const url = await createDatabase(inject("postgresUrl"));
  onTestFinished(() => dropDatabase(inject("postgresUrl"), url));
  for (const line of ["0001-initial", "up to date"]) {
    const child = await image.start(["node", "dist/migrate.js"], { DATABASE_URL: url });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    expect((await once(child, "close"))[0]).toBe(0);
    expect(output).toContain(line);
  }
});

test("the image has the build and what it needs, and neither sources, tests nor tools", async () => {
  expect((await readdir(join(image.root, "app"))).sort()).toEqual([
    "dist",
    "node_modules",
    "package.json",
    "sbom.cdx.json",
  ]);
  const absent = ["typescript", "vitest", "rolldown", "@biomejs"];
  for (const name of absent) await expect(access(join(image.root, "app/node_modules", name))).rejects.toThrow();
  const { stdout } = await promisify(execFile)("du", ["-sb", join(image.root, "app")]);
  const bytes = Number.parseInt(stdout, 10);
  console.log(`the image without its base: ${(bytes / 1024 / 1024).toFixed(1)} MiB`);
  expect(bytes).toBeLessThan(IMAGE_BYTES_MAX);
});

test("its bill of materials is valid CycloneDX, and lists each package of the image with its version", async () => {
  const bom = JSON.parse(await readFile(join(image.root, "app/sbom.cdx.json"), "utf8"));
  expect(bom.bomFormat).toBe("CycloneDX");
  expect(await problemsOfBom(bom)).toEqual([]);
  expect(await problemsOfBom({ ...bom, components: [{ name: "nameless kind" }] })).not.toEqual([]);
  const installed = JSON.parse(await readFile(join(image.root, "app/node_modules/.package-lock.json"), "utf8"));
  const listed = new Set(bom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)));
  const packages = Object.entries<{ version: string }>(installed.packages);
  expect(packages.length).toBeGreaterThan(40);
  for (const [path, { version }] of packages) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    expect(listed).toContain(`pkg:npm/${name}@${version}`);
  }
  for (const name of ["vitest", "typescript"]) expect([...listed].join("\n")).not.toContain(`pkg:npm/${name}@`);
});
