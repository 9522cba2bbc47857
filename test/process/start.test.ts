// promise: conversations.history
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { generateSigningKey, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { post } from "../harness/http.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { listenOnLoopback } from "../servers/loopback.ts";
import { createDatabase } from "../servers/postgres.ts";

let cwd: string;
let running: Running[];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-start-"));
  running = [];
});

afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map((process) => process.ended()));
  await rm(cwd, { recursive: true, force: true });
});

function start(env: Record<string, string>, file?: string): Running {
  const started = runService(env, cwd, file);
  running.push(started);
  return started;
}

/** A DATA_DIR that an earlier start has used. */
async function usedDataDir(): Promise<string> {
  const dataDir = join(cwd, "data");
  await copyTemplate(inject("embeddedTemplate"), dataDir);
  return dataDir;
}

describe("npm start", () => {
  test("reports every mistake in the configuration at once, without the values, and ends with 1", async () => {
    const started = start({
      PORT: "http",
      DATABASE_URL: "mysql://root:hunter2@db",
      REDIS_URL: "localhost",
      OIDC_ISSUER: "https://idp.example.com",
      OIDC_JWKS_URL: "hunter2",
      JWKS_ALLOWED_HOSTS: "example.com",
      LOG_LEVEL: "loud",
      DEFAULT_REQUESTS_PER_MINUTE: "-1",
      OPENAI_BASE_URL: "https://user:hunter2@models.example.com/v1",
      OPENAI_TIMEOUT_MS: "0",
      RUNS_AT_ONCE: "0",
      OVERLOAD_WAIT_MS: "50ms",
      REQUESTS_AT_ONCE_MAX: "-1",
      CONNECTIONS_PER_ADDRESS_MAX: "1.5",
      CONVERSATION_DAYS: "0",
      ENDED_KEY_DAYS: "0",
      USAGE_DAYS: "0",
      REQUEST_LOG_DAYS: "91",
      TLS_CERT_FILE: "hunter2.pem",
      TLS_KEY_FILE: "hunter2.pem",
      CORS_ALLOWED_ORIGINS: "https://app.example.com/hunter2",
      OTEL_EXPORTER_OTLP_ENDPOINT: "hunter2.example.com:4318",
      OIDC_ROLES_CLAIM: "user_metadata.hunter2",
      OIDC_REQUIRED_CLAIMS: "acr=hunter2",
      ROLES_FILE: "hunter2.json",
      SCOPES_FILE: "hunter2.json",
      OPERATOR_TOKEN: "hunter2",
      TOKEN_SECRET: "hunter2",
      TOKEN_ISSUER: "http://hunter2.example.com",
    });
    expect(await started.ended()).toBe(1);
    for (const name of [
      "PORT",
      "DATABASE_URL",
      "REDIS_URL",
      "OIDC_JWKS_URL",
      "OIDC_AUDIENCE",
      "JWKS_ALLOWED_HOSTS",
      "LOG_LEVEL",
      "DEFAULT_REQUESTS_PER_MINUTE",
      "OPENAI_BASE_URL",
      "OPENAI_MODEL",
      "OPENAI_TIMEOUT_MS",
      "RUNS_AT_ONCE",
      "OVERLOAD_WAIT_MS",
      "REQUESTS_AT_ONCE_MAX",
      "CONNECTIONS_PER_ADDRESS_MAX",
      "CONVERSATION_DAYS",
      "ENDED_KEY_DAYS",
      "USAGE_DAYS",
      "REQUEST_LOG_DAYS",
      "TLS_CERT_FILE",
      "CORS_ALLOWED_ORIGINS",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OIDC_ROLES_CLAIM",
      "OIDC_REQUIRED_CLAIMS",
      "ROLES_FILE",
      "SCOPES_FILE",
      "OPERATOR_TOKEN",
      "TOKEN_SECRET",
      "TOKEN_ISSUER",
    ]) {
      expect(started.output()).toMatch(new RegExp(`^ {2}- ${name} `, "m"));
    }
    expect(started.output()).not.toContain("hunter2");
    expect(started.output()).not.toMatch(/\.[jt]s:\d+/);
  });

  test.each(["port=99999999", "port=abc", "host=h%00", "ssl=require"])(
    "ends with 1 and a line that names DATABASE_URL where its parameters cannot work: %s",
    async (parameter) => {
      const started = start({ DATABASE_URL: `${inject("postgresUrl")}?${parameter}` });
      expect(await started.ended()).toBe(1);
      expect(started.output()).toMatch(
        /^latchkey: The configuration has 1 mistake\(s\):\n {2}- DATABASE_URL must .+\n$/,
      );
    },
  );

  test("answers by echo, and says so, until a model is named, whatever key a shell has for other programs", async () => {
    const DATABASE_URL = await createDatabase(inject("postgresUrl"));
    const started = start({ DATABASE_URL, OPENAI_API_KEY: "sk-of-another-program" });
    await started.waitFor(/no model is configured: replies are the built-in echo until OPENAI_MODEL is set/);
    const keyless = start({ DATABASE_URL, OPENAI_MODEL: "some-model" });
    expect(await keyless.ended()).toBe(1);
    expect(keyless.output()).toContain("OPENAI_API_KEY is required unless OPENAI_BASE_URL names an endpoint");
  });

  test("warns of a variable that is misspelt, without its value", async () => {
    const started = start({ DATA_DIR: await usedDataDir(), REDIS_URI: "redis://:hunter2@127.0.0.1" });
    await started.waitFor(/"level":40,[^\n]*"msg":"REDIS_URI is set but not read; is REDIS_URL meant\?"/);
    expect(started.output()).not.toContain("hunter2");
  });

  test("warns without OPERATOR_TENANT, and of roles that have no effect without it", async () => {
    const roles = join(cwd, "roles.json");
    await writeFile(roles, JSON.stringify({ ops: ["system:*"], support: ["users:read"] }));
    const env = { DATA_DIR: await usedDataDir(), OIDC_ROLES_CLAIM: "roles", ROLES_FILE: roles };
    const keys = /"level":40,[^\n]*"msg":"no OPERATOR_TENANT: a key with \* has system:\* and tenants:\*/;
    const users = /"level":40,[^\n]*"msg":"no OPERATOR_TENANT: no user has the scopes .* gives to the roles ops"/;
    const without = start(env);
    await without.waitFor(keys);
    await without.waitFor(users);
    await without.end("SIGTERM");
    const withTenant = start({ ...env, OPERATOR_TENANT: "ten_operator" });
    // The last of the warnings.
    await withTenant.waitFor(/"msg":"embedded storage: /);
    expect(withTenant.output()).not.toContain("OPERATOR_TENANT");
  });

  const DRIVERS = ["@electric-sql/pglite", "@opentelemetry/sdk-trace", "ioredis", "pg"];

  test.each<[string, () => Promise<Record<string, string>>, string[]]>([
    ["the embedded store", async () => ({ DATA_DIR: await usedDataDir() }), ["@electric-sql/pglite"]],
    ["PostgreSQL", async () => ({ DATABASE_URL: await createDatabase(inject("postgresUrl")) }), ["pg"]],
    [
      "PostgreSQL, Redis, a model and a collector",
      async () => ({
        DATABASE_URL: await createDatabase(inject("postgresUrl")),
        REDIS_URL: inject("redisUrl"),
        OPENAI_MODEL: "some-model",
        OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      }),
      ["@opentelemetry/sdk-trace", "ioredis", "pg"],
    ],
  ])("loads the drivers of what is configured and no others, so that a start is quick: %s", async (_, env, drivers) => {
    const fixture = new URL("fixtures/report-packages.ts", import.meta.url).href;
    const started = start({ ...(await env()), NODE_OPTIONS: `--import=${fixture}` }, "main.ts");
    const url = await started.listening();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(started.output()).toContain("loads kysely");
    expect(DRIVERS.filter((name) => started.output().includes(`loads ${name}\n`))).toEqual(drivers);
  });

  test("without an identity provider serves probes, and answers dashboard calls oidc_not_configured", async () => {
    const url = await start({ DATA_DIR: await usedDataDir() }).listening();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("latchkey_request_duration_seconds");
    const answer = await post(url, "/api/v1/api-keys/list", {}, { authorization: "Bearer a.b.c" });
    expect(answer.status).toBe(500);
    expect(answer.json.denial_reason).toBe("oidc_not_configured");
  });

  test("refuses a folder that another process uses, and says which", async () => {
    const dataDir = await usedDataDir();
    await start({ DATA_DIR: dataDir }).listening();
    const second = start({ DATA_DIR: dataDir });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain(dataDir);
  });

  test("names REDIS_URL when its database cannot be selected, and ends with 1", async () => {
    const REDIS_URL = new URL("/99", inject("redisUrl")).href;
    const started = start({ DATABASE_URL: await createDatabase(inject("postgresUrl")), REDIS_URL });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toContain(
      "latchkey: REDIS_URL names database 99, which Redis refuses: name one that it has and that the user may SELECT, or none.",
    );
    expect(started.output()).not.toMatch(/\.[jt]s:\d+/);
  });

  test("names PORT when it is in use", async () => {
    const taken = createServer();
    const port = await listenOnLoopback(taken);
    const started = start({ PORT: String(port), DATA_DIR: await usedDataDir() });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toContain(`PORT: ${port}`);
    taken.close();
  });

  test("ends with 0 on SIGTERM before it has started", async () => {
    const silent = createTcpServer();
    const connected = once(silent, "connection");
    const port = await listenOnLoopback(silent);
    const started = start({ DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` });
    const [socket] = await connected;
    started.child.kill("SIGTERM");
    expect(await started.ended()).toBe(0);
    socket.destroy();
    silent.close();
  });

  test("ends with 0, and stops once, however many signals it gets meanwhile", async () => {
    const started = start({ DATA_DIR: await usedDataDir(), DRAIN_SECONDS: "1" });
    await started.listening();
    started.child.kill("SIGTERM");
    await started.waitFor(/"msg":"stopping"/);
    for (const signal of ["SIGTERM", "SIGINT", "SIGINT"] as const) started.child.kill(signal);
    expect(await started.ended()).toBe(0);
    expect(started.output().match(/"msg":"(?:stopping|stopped)"/g)).toEqual(['"msg":"stopping"', '"msg":"stopped"']);
  });

  test("answers the request under way on SIGTERM, and ends with 0", async () => {
    const provider = await startIdentityProvider(await generateSigningKey());
    const { issuer, jwksUrl, audience } = provider;
    const database = await createDatabase(inject("postgresUrl"));
    const oidc = { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: audience };
    const started = start({ DATABASE_URL: database, ...oidc });
    const url = await started.listening();
    const token = await provider.sign({ sub: "u", tenant_id: "t" });
    const underWay = request(`${url}/api/v1/api-keys/list`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, expect: "100-continue" },
    });
    underWay.flushHeaders();
    // The server has taken the request up and waits for its body.
    await once(underWay, "continue");
    started.child.kill("SIGTERM");
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          () => "open",
          () => "closed",
        ),
      )
      .toBe("closed");
    underWay.end("{}");
    const [answer] = await once(underWay, "response");
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(await started.ended()).toBe(0);
    await provider.close();
  });
});

test("a password with any characters may be in PGPASSWORD, as compose.yaml has it, instead of DATABASE_URL", async () => {
  const PGPASSWORD = "p@s/s#w%rd:$ ";
  const url = new URL(await createDatabase(inject("postgresUrl")));
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  const role = `r${randomUUID().replaceAll("-", "")}`;
  await owner.query(`create role ${role} login superuser password ${owner.escapeLiteral(PGPASSWORD)}`);
  await owner.end();
  const started = start({ DATABASE_URL: `postgres://${role}@${url.host}${url.pathname}`, PGPASSWORD });
  expect((await fetch(`${await started.listening()}/readyz`)).status).toBe(200);
});

describe("the schema", () => {
  test("is brought up to date by npm run migrate, once", async () => {
    const env = { DATABASE_URL: await createDatabase(inject("postgresUrl")) };
    const first = start(env, "../dist/migrate.js");
    expect(await first.ended()).toBe(0);
    expect(first.output()).toContain("Applied to the database of DATABASE_URL: 0001-initial");
    const second = start(env, "../dist/migrate.js");
    expect(await second.ended()).toBe(0);
    expect(second.output()).toContain("The schema of the database of DATABASE_URL is up to date.");
  });

  test("is that of the embedded store, and npm run migrate says so, where no DATABASE_URL is set", async () => {
    const dataDir = join(cwd, "data");
    for (const line of ["Applied to the embedded store in", "The schema of the embedded store in"]) {
      const migrating = start({ DATA_DIR: dataDir }, "../dist/migrate.js");
      expect(await migrating.ended()).toBe(0);
      expect(migrating.output()).toContain(`${line} ${dataDir}`);
    }
  });

  test("is made once by two replicas that start at the same time", async () => {
    const env = { DATABASE_URL: await createDatabase(inject("postgresUrl")) };
    const urls = await Promise.all([start(env).listening(), start(env).listening()]);
    for (const url of urls) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});
