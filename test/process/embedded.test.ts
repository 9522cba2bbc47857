import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { post } from "../harness/http.ts";
import { type Running, runService } from "../harness/service-process.ts";

const MB = 1_024;
/** Of all processes of one start together. PGlite as it comes takes 1,200 at its first start, 800 at the next ones. */
const PEAK_MB_MAX = 600;

let provider: IdentityProvider;
let dir: string;
let running: Running[];

beforeAll(async () => {
  provider = await startIdentityProvider(await generateSigningKey());
});

afterAll(() => provider.close());

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-first-start-"));
  running = [];
});

afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map((process) => process.ended()));
  await rm(dir, { recursive: true, force: true, maxRetries: 10 });
});

function start(): Running {
  const { issuer, jwksUrl, audience } = provider;
  const oidc = { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: audience };
  const started = runService({ DATA_DIR: dir, ...oidc }, dir);
  running.push(started);
  return started;
}

test("neither a first start nor a later one, with all its processes and hundreds of calls, takes 600 MB at any moment", async () => {
  const authorization = `Bearer ${await provider.sign({ sub: "u", tenant_id: "t" })}`;
  for (const which of ["first", "second"]) {
    const started = start();
    const peak = watchMemory(started.child.pid ?? 0);
    const url = await started.listening();
    for (let n = 0; n < 500; n++) {
      const { status } = await post(url, "/api/v1/api-keys/list", {}, { authorization });
      expect(status).toBe(200);
    }
    const own = await memoryOf(started.child.pid ?? 0, "VmHWM");
    started.child.kill("SIGTERM");
    expect(await started.ended()).toBe(0);
    const { processes, megabytes } = await peak;
    expect(processes, which).toBe(which === "first" ? 2 : 1);
    expect(Math.max(own, megabytes), which).toBeLessThan(PEAK_MB_MAX);
  }
});

test("a first start that is killed while it makes the database leaves a folder that the next one starts in", async () => {
  const killed = start();
  const { pid } = await whileMaking(killed);
  killed.child.kill("SIGKILL");
  await killed.ended();
  const url = await start().listening();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await expect.poll(() => memoryOf(pid, "Pss")).toBe(0);
  expect(await readdir(dir)).toEqual(["database"]);
});

test("a first start that gets SIGTERM while it makes the database ends with 0, and the process that makes it ends, too", async () => {
  const started = start();
  const { pid } = await whileMaking(started);
  started.child.kill("SIGTERM");
  expect(await started.ended()).toBe(0);
  await expect.poll(() => memoryOf(pid, "Pss")).toBe(0);
});

/** The process that makes the database, once it has written some of it. */
async function whileMaking(started: Running): Promise<{ readonly pid: number }> {
  const unfinished = async () => {
    const [name] = (await readdir(dir)).filter((found) => found.startsWith("database.new-"));
    return name === undefined ? [] : readdir(join(dir, name, "cluster")).catch(() => []);
  };
  await expect.poll(unfinished, { timeout: 60_000, interval: 10 }).toContain("base");
  const [pid = 0] = await childrenOf(started.child.pid ?? 0);
  return { pid };
}

/** Resolves when the process has ended, with the most that it and its children held at once, and how many they were. */
async function watchMemory(pid: number): Promise<{ readonly processes: number; readonly megabytes: number }> {
  let processes = 0;
  let megabytes = 0;
  for (;;) {
    const pids = [pid, ...(await childrenOf(pid))];
    const held = await Promise.all(pids.map((each) => memoryOf(each, "Pss")));
    if (held[0] === 0) return { processes, megabytes };
    processes = Math.max(processes, held.filter((each) => each > 0).length);
    megabytes = Math.max(
      megabytes,
      held.reduce((sum, each) => sum + each),
    );
    await sleep(20);
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return pids.split(" ").filter(Boolean).map(Number);
}

/**
 * In megabytes; 0 for a process that has ended. `Pss` is what the process holds now, of which pages that several share
 * count to each in part; `VmHWM` is the most that it ever held.
 */
async function memoryOf(pid: number, field: "VmHWM" | "Pss"): Promise<number> {
  const file = field === "Pss" ? "smaps_rollup" : "status";
  const status = await readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  const [, kilobytes = "0"] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kilobytes) / MB;
}
