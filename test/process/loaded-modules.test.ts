import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { post } from "../harness/http.ts";
import { runService } from "../harness/service-process.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const PRELOAD = new URL("fixtures/report-loads.ts", import.meta.url).href;
/** Modules that only some processes need: for key sets, collectors, an embedded store, readers of the documentation. */
const NEEDED_BY_FEW = [
  /node_modules\/undici\//,
  // Its bare interface is loaded by prom-client.
  /node_modules\/@opentelemetry\/(?!api\/)/,
  /node_modules\/(?:@electric-sql|swagger-ui-dist|commander)\//,
  /gen\/(?:openapi|errors)\.json$/,
  /src\/observability\/(?:otlp|tracing)\/(?!.*(?:record-span|request-spans)\.ts$)/,
  /src\/(?:cli|dev|check)\//,
];
const MODULES_MAX = 1_390;
const SOURCE_BYTES_MAX = 4_150_000;

let cwd: string;
let databaseUrl: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-loaded-"));
  databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
});

afterAll(async () => {
  await dropDatabase(inject("postgresUrl"), databaseUrl);
  await rm(cwd, { recursive: true, force: true });
});

/** The modules that a start has loaded once it has answered, as the source maps of the built files name them. */
async function loadedBy(env: Record<string, string>): Promise<{ modules: string[]; bytes: number }> {
  const all = { DATABASE_URL: databaseUrl, REDIS_URL: inject("redisUrl"), NODE_OPTIONS: `--import=${PRELOAD}`, ...env };
  const service = runService(all, cwd);
  onTestFinished(async () => void (await service.end("SIGKILL")));
  await post(await service.listening(), "/api/v1/auth/verify", {});
  const files = [...service.output().matchAll(/^loads (file:\S+)$/gm)].map(([, url = ""]) => fileURLToPath(url));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const maps = files.map((file) => `${file}.map`).filter((map) => existsSync(map));
  const sources = await Promise.all(
    maps.map(async (map): Promise<string[]> => JSON.parse(await readFile(map, "utf8")).sources),
  );
  return { modules: sources.flat(), bytes: texts.reduce((sum, text) => sum + text.length, 0) };
}

test("a start with PostgreSQL and Redis loads nothing that only some processes need, and no more code than it did", async () => {
  const { modules, bytes } = await loadedBy({});
  expect(modules.filter((module) => NEEDED_BY_FEW.some((pattern) => pattern.test(module)))).toEqual([]);
  expect(modules.length).toBeLessThan(MODULES_MAX);
  expect(bytes).toBeLessThan(SOURCE_BYTES_MAX);
  // Otherwise nothing was looked at.
  expect(modules.filter((module) => module.endsWith("/src/app/app.ts"))).toHaveLength(1);
});

test("a start with a collector loads OpenTelemetry", async () => {
  const { modules } = await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect(modules.filter((module) => module.includes("node_modules/@opentelemetry/sdk-trace"))).not.toEqual([]);
});
