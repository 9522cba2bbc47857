import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { type Collector, startCollector } from "../harness/collector.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { run, runNpm, runService } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { freePort } from "../servers/free-port.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BUILT = join(ROOT, "dist/main.js");
const VERIFY = "/api/v1/auth/verify";

let collector: Collector;
let fleet: Fleet;
let replica: Replica;

beforeAll(async () => {
  fleet = await startFleet(inject("redisUrl"));
  const { host } = new URL(fleet.oidc.jwksUrl);
  const model = { OPENAI_MODEL: "model", OPENAI_API_KEY: "key", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  collector = await startCollector();
  const traces = {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=of%20the%20collector",
    OTEL_RESOURCE_ATTRIBUTES: "service.namespace=a-namespace,service.name=overruled",
    OTEL_SERVICE_NAME: "a-service",
    OTEL_BSP_SCHEDULE_DELAY: "600000",
  };
  replica = await fleet.start({ JWKS_ALLOWED_HOSTS: host, ...model, ...traces });
});

afterAll(async () => {
  await fleet.close();
  await collector.close();
});

test("the built server checks secret keys, publishable keys and dashboard users", async () => {
  const secret = await fleet.createKey(replica);
  expect((await replica.call(VERIFY, {}, { "x-api-key": secret.key })).json).toMatchObject({ key_id: secret.key_id });
  const fields = { keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["conversations:read"] };
  const publishableConfig = { oidc: { ...fleet.oidc, userIdClaim: "sub" } };
  const publishable = await fleet.createKey(replica, { ...fields, publishableConfig });
  const user = { "x-api-key": publishable.key, ...(await fleet.dashboard()) };
  expect((await replica.call(VERIFY, {}, user)).json).toMatchObject({ user_id: "user-1" });
  for (const scope of ["keys", "\ud800"]) {
    expect((await replica.call(VERIFY, { scope }, { "x-api-key": secret.key })).status).toBe(400);
  }
});

test.each(["/readyz", "/metrics", "/openapi.json", "/docs", "/docs/swagger-ui.css"])("it serves %s", async (path) => {
  const response = await fetch(replica.url + path);
  expect(response.status).toBe(200);
  expect((await response.text()).length).toBeGreaterThan(0);
});

test("it logs no error, and ends on SIGTERM", async () => {
  expect(await replica.end("SIGTERM")).toBe(0);
  expect(replica.log().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test("it has sent its spans by then, as the variables of OpenTelemetry say", () => {
  expect(collector.headers).toMatchObject({ "x-collector-key": "of the collector" });
  expect(collector.spans.map(({ name }) => name)).toContain("latchkey.v1.AuthService/Verify");
  const resource = { "service.name": "a-service", "service.namespace": "a-namespace" };
  for (const span of collector.spans) expect(span.resource).toMatchObject(resource);
});

test("the built migration brings the schema up to date, once", async () => {
  const url = await createDatabase(inject("postgresUrl"));
  onTestFinished(() => dropDatabase(inject("postgresUrl"), url));
  for (const line of ["0001-initial", "up to date"]) {
    const migration = run("../dist/migrate.js", { DATABASE_URL: url }, ROOT);
    expect(await migration.ended()).toBe(0);
    expect(migration.output()).toContain(line);
  }
});

test("the image runs what npm start runs", async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const [, command = ""] = /^CMD (\[.+\])$/m.exec(await readFile(join(ROOT, "Dockerfile"), "utf8")) ?? [];
  expect(`exec ${JSON.parse(command).join(" ")}`).toBe(scripts.start);
});

test("checks that rest on what a call throws are in the build", async () => {
  const [, build = ""] = /^import "(.+)\/main\.js";$/m.exec(await readFile(BUILT, "utf8")) ?? [];
  const files = (await readdir(join(ROOT, "dist", build))).filter((name) => name.endsWith(".js"));
  const built = (await Promise.all(files.map((name) => readFile(join(ROOT, "dist", build, name), "utf8")))).join("\n");
  // Of protobuf's check of UTF-8, and protovalidate's of hosts in URIs.
  for (const call of ["encodeURIComponent(text);", "decodeURIComponent(rawHost);"]) expect(built).toContain(call);
  expect(built).not.toMatch(/\btry\s*\{\s*(?:return (?:true|false);\s*)?\}/);
});

test.each([{ DATABASE_URL: "postgres://u:hunter2%zz@db/x" }, { REDIS_URL: "redis://u:hunter2%zz@127.0.0.1" }])(
  "it refuses what the sources refuse, in the same words: %j",
  async (env) => {
    const [built, source] = ["../dist/main.js", "main.ts"].map((file) => run(file, env, tmpdir()));
    expect(await Promise.all([built?.ended(), source?.ended()])).toEqual([1, 1]);
    expect(built?.output()).toContain("must have its user name and password percent-encoded");
    expect(built?.output()).toBe(source?.output());
  },
);

test("it opens the embedded database", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-built-"));
  await copyTemplate(inject("embeddedTemplate"), cwd);
  const started = runService({ DATA_DIR: cwd }, cwd);
  const url = await started.listening();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await started.end("SIGTERM")).toBe(0);
  await rm(cwd, { recursive: true, force: true });
});

test.each(["start", "dev"])("npm run %s ends with 0 when npm gets SIGTERM, and frees the port", async (script) => {
  // A folder of its own, so that what it keeps is not the developer's. The build is there already.
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-npm-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await cp(join(ROOT, "package.json"), join(cwd, "package.json"));
  for (const name of ["dist", "src", "node_modules"]) await symlink(join(ROOT, name), join(cwd, name));
  const PORT = String(await freePort());
  await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
  const env = { PORT, HOST: "127.0.0.1", DATA_DIR: "data", DRAIN_SECONDS: "0", LOG_LEVEL: "info" };
  const npm = runNpm(["run", script, "--ignore-scripts"], env, cwd);
  onTestFinished(npm.killAll);
  await npm.waitFor(/listening|is running at/);
  npm.child.kill("SIGTERM");
  const isOpen = () =>
    fetch(`http://127.0.0.1:${PORT}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(false);
  expect(await npm.ended()).toBe(0);
});
