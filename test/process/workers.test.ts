// promise: limits.workers
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { textMessage } from "../harness/gateway.ts";
import { type JsonObject, post, toAnswer } from "../harness/http.ts";
import { hangs, startModel } from "../harness/model.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";

const WORKERS = 3;
const RECOVERY_MS = 30_000;
/** After which a request counts as lost. */
const LOST_MS = 20_000;
const OLD = "old-secret-0123456789abcdef-01234567";
const NEW = "new-secret-0123456789abcdef-01234567";
const VERIFY = "/api/v1/auth/verify";

const cleanUps: (() => unknown)[] = [];
let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-workers-"));
  cleanUps.push(() => rm(cwd, { recursive: true, force: true }));
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface Fleet {
  readonly service: Running;
  readonly url: string;
  /** The numbers of the workers, in the order of their starts, with the lines that say so. */
  listening(): JsonObject[];
}

async function start(env: Record<string, string> = {}): Promise<Fleet> {
  const databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
  cleanUps.push(() => dropDatabase(inject("postgresUrl"), databaseUrl));
  const redis = await startOwnRedis();
  cleanUps.push(() => redis.stop());
  await writeFile(join(cwd, "token"), OLD);
  const service = runService(
    {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      WORKERS: String(WORKERS),
      OPERATOR_TOKEN_FILE: join(cwd, "token"),
      // Many calls come at once, and a machine that runs many tests at once is overloaded by them.
      OVERLOAD_WAIT_MS: "0",
      REDIS_TIMEOUT_MS: "1000",
      ...env,
    },
    cwd,
  );
  cleanUps.push(() => service.end("SIGKILL"));
  const url = await service.listening();
  const listening = () => service.log().filter(({ msg }) => msg === "listening");
  await expect.poll(() => listening().length, { timeout: RECOVERY_MS }).toBe(WORKERS);
  return { service, url, listening };
}

async function newKey(url: string, fields = {}): Promise<Record<string, string>> {
  const body = { tenant_id: "ten_workers", name: "key", permissions: ["conversations:*"], ...fields };
  const { json } = await post(url, "/api/v1/operator/keys/create", body, { authorization: `Bearer ${OLD}` });
  return { "x-api-key": json.result.key };
}

/** Each `post` has a connection of its own, or one that an earlier one left. */
function calls(url: string, count: number, headers: Record<string, string>): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, async () => (await post(url, VERIFY, {}, headers)).status));
}

/** A metric, summed over its labels. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].map(([, value]) =>
    Number(value),
  );
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}

/** How many requests had a response. */
const verified = (url: string) => metric(url, "latchkey_request_duration_seconds_count");

/** Of all workers so far, in the order of their starts. */
function workerPids({ log }: Running): number[] {
  return log()
    .filter(({ msg }) => msg === "a worker is started")
    .map(({ pid }) => Number(pid));
}

test("all workers serve one port, with one budget for each key, and each line of the log names its worker", async () => {
  const { service, url, listening } = await start();
  expect(new Set(listening().map(({ address }) => address)).size).toBe(1);
  const headers = await newKey(url, { rate_limit: { requests_per_minute: 20 } });
  const statuses = await calls(url, 60, headers);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  const served = () =>
    service.log().filter(({ procedure }) => String(procedure).endsWith("/Verify") || procedure === "auth/verify");
  await expect.poll(() => served().length, { timeout: RECOVERY_MS }).toBeGreaterThanOrEqual(60);
  expect(new Set(served().map(({ worker }) => worker))).toEqual(new Set([1, 2, 3]));
  expect(await service.end("SIGTERM")).toBe(0);
  expect(service.log().filter(({ msg }) => msg === "stopped")).toHaveLength(WORKERS);
});

test("metrics are those of all workers together, and lose nothing that was scraped when one of them is killed", async () => {
  const { service, url, listening } = await start();
  const headers = await newKey(url);
  const before = await verified(url);
  expect(await calls(url, 90, headers)).toEqual(Array.from({ length: 90 }, () => 200));
  // The scrapes count, too, each after its own response.
  const after = await verified(url);
  expect(after - before).toBeGreaterThanOrEqual(90);
  expect(after - before).toBeLessThan(95);
  expect(await metric(url, "latchkey_postgres_up")).toBe(1);
  expect(await metric(url, "latchkey_redis_up")).toBe(1);
  const held = () => metric(url, "latchkey_key_lease_held");
  await expect.poll(held, { timeout: RECOVERY_MS }).toBe(1);

  const scraped = await verified(url);
  const pids = workerPids(service);
  process.kill(pids[0] ?? Number.NaN, "SIGKILL");
  await expect.poll(() => listening().length, { timeout: RECOVERY_MS }).toBe(WORKERS + 1);
  expect(await verified(url)).toBeGreaterThanOrEqual(scraped);
});

test("a worker that is killed loses only its own requests, and is replaced", async () => {
  const { service, url, listening } = await start();
  const headers = await newKey(url);
  const pids = workerPids(service);
  expect(pids).toHaveLength(WORKERS);
  // A connection that is on its way from the supervisor to the worker stays open, and gets no response.
  const verifyWithin = async (ms: number) => {
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
    return toAnswer(await fetch(url + VERIFY, { ...init, signal: AbortSignal.timeout(ms) }));
  };
  let isOver = false;
  let done = 0;
  const failures: unknown[] = [];
  const callers = Array.from({ length: 6 }, async () => {
    while (!isOver)
      await verifyWithin(LOST_MS).then(
        () => {
          done += 1;
        },
        (err: unknown) => failures.push(err),
      );
  });
  await expect.poll(() => done, { timeout: RECOVERY_MS }).toBeGreaterThan(50);
  process.kill(pids[1] ?? Number.NaN, "SIGKILL");
  await service.waitFor(/"msg":"a worker has ended"/);
  await expect.poll(() => listening().length, { timeout: RECOVERY_MS }).toBe(WORKERS + 1);
  isOver = true;
  await Promise.all(callers);
  // Each caller has one request under way, so it loses one, and perhaps one on a connection that it thought open.
  expect(failures.length).toBeLessThanOrEqual(2 * callers.length);
  expect(await calls(url, 60, headers)).toEqual(Array.from({ length: 60 }, () => 200));
  const ended = service.log().filter(({ msg }) => msg === "a worker has ended");
  expect(ended).toEqual([expect.objectContaining({ pid: pids[1], signal: "SIGKILL", level: 50 })]);
  expect(await service.end("SIGTERM")).toBe(0);
});

test("SIGHUP reaches all workers", async () => {
  const { service, url } = await start();
  const list = async (token: string) =>
    (await post(url, "/api/v1/operator/tenants/list", {}, { authorization: `Bearer ${token}` })).status;
  await writeFile(join(cwd, "token"), NEW);
  service.child.kill("SIGHUP");
  const reread = () => service.log().filter(({ msg }) => msg === "secrets were read again");
  await expect.poll(() => reread().length, { timeout: RECOVERY_MS }).toBe(WORKERS);
  expect(new Set(await Promise.all(Array.from({ length: 20 }, () => list(NEW))))).toEqual(new Set([200]));
  expect(await Promise.all(Array.from({ length: 20 }, () => list(OLD)))).not.toContain(200);
});

test("SIGTERM lets requests of all workers end", async () => {
  const model = await startModel(hangs);
  cleanUps.push(() => model.close());
  const { service, url } = await start({ OPENAI_MODEL: "m", OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-1" });
  const headers = await newKey(url);
  const body = { conversation_key: "c", user_message: textMessage("hello") };
  expect((await post(url, "/api/v1/llm/gateway/send-message", body, headers)).status).toBe(200);
  const gateway = { conversation_key: "c", wait_ms: 20_000 };
  // Waiting readers get their response at once when the process stops; all others when they are done.
  const waiting = Array.from({ length: 12 }, () =>
    post(url, "/api/v1/llm/gateway/get-conversation-state", gateway, headers).then(({ status }) => status),
  );
  await expect.poll(() => metric(url, "latchkey_waiting_readers"), { timeout: RECOVERY_MS }).toBe(12);
  const ended = service.end("SIGTERM");
  for (const status of await Promise.all(waiting)) expect(status).toBe(200);
  expect(await ended).toBe(0);
});

test("a service whose first worker cannot start ends with its status, and says why once", async () => {
  const started = runService(
    { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x", REDIS_URL: "redis://127.0.0.1:1", WORKERS: "2" },
    cwd,
  );
  expect(await started.ended()).toBe(1);
  expect(started.output().match(/latchkey: The database at/g)).toHaveLength(1);
  expect(started.output()).not.toContain("hunter2");
});

test("so does one whose admin port is free and whose port is not", async () => {
  const { url } = await start();
  const databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
  cleanUps.push(() => dropDatabase(inject("postgresUrl"), databaseUrl));
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: "redis://127.0.0.1:1", WORKERS: "2", ADMIN_PORT: "0" };
  const started = runService({ ...env, PORT: new URL(url).port }, cwd);
  cleanUps.push(() => started.end("SIGKILL"));
  expect(await started.ended()).toBe(1);
  expect(started.output()).toMatch(/^latchkey: PORT: \d+ on 127\.0\.0\.1 is in use/m);
});

test("workers end with their supervisor, also where that is killed", async () => {
  const { service } = await start();
  const pids = workerPids(service);
  await service.end("SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: RECOVERY_MS }).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
