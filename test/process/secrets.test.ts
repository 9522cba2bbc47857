// promise: edges.signals
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { Redis } from "ioredis";
import pg from "pg";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { RULES } from "../../src/domain/edges/rules.ts";
import { edgeClient, followRaw } from "../harness/edge-clients.ts";
import { textMessage } from "../harness/gateway.ts";
import { post } from "../harness/http.ts";
import { HOOK_PATH } from "../harness/login-hook.ts";
import { type Model, startModel } from "../harness/model.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";

const RECOVERY_MS = 20_000;
const OLD = "old-secret-0123456789abcdef-01234567";
const NEW = "new-secret-0123456789abcdef-01234567";
const OIDC = { OIDC_ISSUER: "https://idp", OIDC_JWKS_URL: "https://idp/keys", OIDC_AUDIENCE: "api" };

const cleanUps: (() => unknown)[] = [];
let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-secrets-"));
  cleanUps.push(() => rm(cwd, { recursive: true, force: true }));
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const path = (name: string): string => join(cwd, name);
const put = (name: string, text: string): Promise<void> => writeFile(path(name), `${text}\n`);

async function newDatabase(): Promise<URL> {
  const url = await createDatabase(inject("postgresUrl"));
  cleanUps.push(() => dropDatabase(inject("postgresUrl"), url));
  return new URL(url);
}

function start(env: Record<string, string>): Running {
  const service = runService(env, cwd);
  cleanUps.push(() => service.end("SIGKILL"));
  return service;
}

async function reload(service: Running): Promise<void> {
  const count = () => service.output().split("secrets were read again").length;
  const before = count();
  service.child.kill("SIGHUP");
  await expect.poll(count, { timeout: RECOVERY_MS }).toBeGreaterThan(before);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("SIGHUP changes the operator's token, the hook's secret and the model's key for the next request", async () => {
  const model: Model = await startModel();
  cleanUps.push(() => model.close());
  for (const name of ["token", "hook", "key"]) await put(name, OLD);
  const service = start({
    ...OIDC,
    DATABASE_URL: (await newDatabase()).href,
    OPERATOR_TOKEN_FILE: path("token"),
    IDENTITY_HOOK_SECRET_FILE: path("hook"),
    OPENAI_MODEL: "test-model",
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY_FILE: path("key"),
  });
  const url = await service.listening();
  const operator = async (token: string) =>
    (await post(url, "/api/v1/operator/tenants/list", {}, bearer(token))).status;
  const hook = async (secret: string) => (await post(url, HOOK_PATH, { sub: "u" }, bearer(secret))).status;
  const created = { tenant_id: "ten_secrets", name: "key", permissions: ["conversations:*"] };
  const { json } = await post(url, "/api/v1/operator/keys/create", created, bearer(OLD));
  const modelKey = async () => {
    const asked = model.requests.length;
    const message = { conversation_key: String(asked), user_message: textMessage("hello") };
    const sent = await post(url, "/api/v1/llm/gateway/send-message", message, { "x-api-key": json.result.key });
    expect(sent.status, sent.text).toBe(200);
    await expect.poll(() => model.requests.length, { timeout: RECOVERY_MS }).toBeGreaterThan(asked);
    return model.requests.at(-1)?.headers.authorization;
  };
  expect([await operator(OLD), await hook(OLD), await modelKey()]).toEqual([200, 200, `Bearer ${OLD}`]);

  await put("token", NEW);
  await put("hook", "too short");
  await put("key", NEW);
  await reload(service);
  await service.waitFor(
    /"level":50,[^\n]*IDENTITY_HOOK_SECRET_FILE must be one or two secrets[^\n]*; what was read before stays in use/,
  );
  expect([await operator(OLD), await operator(NEW)]).toEqual([401, 200]);
  expect([await hook(OLD), await modelKey()]).toEqual([200, `Bearer ${NEW}`]);
  await put("hook", NEW);
  await reload(service);
  expect([await hook(OLD), await hook(NEW)]).toEqual([401, 200]);
  for (const secret of [OLD, NEW, "too short"]) expect(service.output()).not.toContain(secret);
});

// threat: G1
test("SIGHUP changes the token of edges for the next call, and ends the streams of the old one", async () => {
  await put("edge", OLD);
  const service = start({ ...OIDC, DATABASE_URL: (await newDatabase()).href, EDGE_TOKEN_FILE: path("edge") });
  const client = edgeClient(await service.listening());
  const subject = { case: "secretHash", value: "A".repeat(43) } as const;
  const code = async (token: string) =>
    client.resolve({ rules: RULES, subject }, { headers: bearer(token) }).then(
      () => "OK",
      (err) => Code[ConnectError.from(err).code],
    );
  const old = await followRaw(client, bearer(OLD));
  expect([await code(OLD), await code(NEW)]).toEqual(["OK", "Unauthenticated"]);
  await put("edge", `${OLD},${NEW}`);
  await reload(service);
  expect([await code(OLD), await code(NEW)]).toEqual(["OK", "OK"]);
  old.send({ case: "askLease", value: { number: 1n } });
  while ((await old.next("lease"))?.number !== 1n);
  await put("edge", NEW);
  await reload(service);
  expect([await code(OLD), await code(NEW)]).toEqual(["Unauthenticated", "OK"]);
  old.send({ case: "askLease", value: { number: 2n } });
  expect(await old.next("lease")).toBeUndefined();
  for (const secret of [OLD, NEW]) expect(service.output()).not.toContain(secret);
});

test("SIGHUP changes the token of a sidecar, which decides again once the service takes only the new one", async () => {
  for (const name of ["service", "sidecar"]) await put(name, OLD);
  const database = { DATABASE_URL: (await newDatabase()).href, OPERATOR_TOKEN: OLD };
  const service = start({ ...OIDC, ...database, EDGE_TOKEN_FILE: path("service") });
  const upstream = await service.listening();
  const sidecar = start({ EDGE_UPSTREAM: upstream, EDGE_TOKEN_FILE: path("sidecar") });
  const url = await sidecar.listening();
  const decided = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^latchkey_edge_decided_total (\d+)$/m.exec(text)?.[1]);
  };
  /** With a key that the sidecar has to ask for. */
  async function untilItDecides(): Promise<void> {
    const created = { tenant_id: "ten_secrets", name: "key", permissions: ["conversations:*"] };
    const { json } = await post(upstream, "/api/v1/operator/keys/create", created, bearer(OLD));
    const before = await decided();
    const check = async () => {
      const { status } = await fetch(`${url}/auth/check`, { headers: { "x-api-key": json.result.key } });
      expect(status).toBe(200);
      return decided();
    };
    await expect.poll(check, { timeout: RECOVERY_MS }).toBeGreaterThan(before);
  }
  await untilItDecides();

  await put("service", `${OLD},${NEW}`);
  await reload(service);
  await put("sidecar", NEW);
  await reload(sidecar);
  await untilItDecides();
  await put("service", NEW);
  await reload(service);
  await untilItDecides();

  await put("sidecar", "too short");
  sidecar.child.kill("SIGHUP");
  await sidecar.waitFor(/"level":50,[^\n]*EDGE_TOKEN_FILE must be[^\n]*; what was read before stays in use/);
  await untilItDecides();
  for (const secret of [OLD, NEW, "too short"]) expect(sidecar.output()).not.toContain(secret);
});

test("SIGHUP changes the user and the password of PostgreSQL for the next connection", async () => {
  const url = await newDatabase();
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  const roles = ["first", "second"].map((name) => `${name}_${url.pathname.slice(1)}`);
  for (const role of roles) await admin.query(`create role ${role} superuser login password '${OLD}'`);
  // Last: the database, whose tables are theirs, is dropped before.
  cleanUps.unshift(async () => {
    const server = new pg.Client({ connectionString: inject("postgresUrl") });
    await server.connect();
    for (const role of roles) await server.query(`drop role ${role}`);
    await server.end();
  });
  cleanUps.push(() => admin.end());
  const urlOf = (username = "", password = OLD) => Object.assign(new URL(url), { username, password }).href;
  await put("url", urlOf(roles[0]));
  const service = start({ DATABASE_URL_FILE: path("url") });
  const address = await service.listening();
  const readyz = async () => (await fetch(`${address}/readyz`)).status;
  expect(await readyz()).toBe(200);
  await service.waitFor(/"hearing":true/);
  await admin.query(`alter role ${roles[0]} nologin`);
  const end = "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1";
  await admin.query(end, [roles[0]]);
  await expect.poll(readyz, { timeout: RECOVERY_MS }).toBe(503);

  await put("url", urlOf(roles[1]).replace(url.pathname, "/another"));
  service.child.kill("SIGHUP");
  await service.waitFor(
    /DATABASE_URL_FILE may change its user name and password alone while the service runs; restart/,
  );
  await put("url", urlOf(roles[1]));
  await reload(service);
  await expect.poll(readyz, { timeout: RECOVERY_MS }).toBe(200);
  const { rows } = await admin.query("select from pg_stat_activity where usename = $1", [roles[1]]);
  expect(rows.length).toBeGreaterThan(0);
  expect(service.output()).not.toContain(OLD);
  // The listener, too, has come back.
  await expect.poll(() => service.output().split('"hearing":true').length, { timeout: RECOVERY_MS }).toBe(3);
  await service.end("SIGTERM");
});

test("SIGHUP changes the password of Redis for the next connection", async () => {
  const server = await startOwnRedis({ args: ["--requirepass", OLD] });
  cleanUps.push(() => server.stop());
  const urlOf = (password: string) => `redis://:${password}@127.0.0.1:${server.port}`;
  await put("redis", urlOf(OLD));
  const service = start({
    DATABASE_URL: (await newDatabase()).href,
    REDIS_URL_FILE: path("redis"),
    REDIS_REQUIRED: "true",
  });
  const address = await service.listening();
  const readyz = async () => (await fetch(`${address}/readyz`)).status;
  expect(await readyz()).toBe(200);
  const operator = new Redis(urlOf(OLD));
  await operator.config("SET", "requirepass", NEW);
  await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  operator.disconnect();
  await expect.poll(readyz, { timeout: RECOVERY_MS }).toBe(503);
  await put("redis", urlOf(NEW));
  await reload(service);
  await expect.poll(readyz, { timeout: RECOVERY_MS }).toBe(200);
  for (const secret of [OLD, NEW]) expect(service.output()).not.toContain(secret);
});

test("SIGHUP changes TOKEN_SECRET: signing keys are encrypted again, and tokens are issued before, meanwhile and after", async () => {
  const database = await newDatabase();
  const admin = new pg.Client({ connectionString: database.href });
  await admin.connect();
  cleanUps.push(() => admin.end());
  await put("token-secret", OLD);
  const service = start({
    ...{ DATABASE_URL: database.href, OPERATOR_TOKEN: OLD },
    ...{ TOKEN_ISSUER: "https://tokens.example", TOKEN_SECRET_FILE: path("token-secret") },
  });
  const url = await service.listening();
  const created = { tenant_id: "ten_secrets", name: "key", permissions: ["plans:read"] };
  const { json } = await post(url, "/api/v1/operator/keys/create", created, bearer(OLD));
  const derive = async () =>
    (await post(url, "/api/v1/tokens/derive", { scopes: ["plans:read"] }, { "x-api-key": json.result.key })).status;
  const stored = async () => (await admin.query("select kid, private_key from signing_keys")).rows;
  const [before] = await stored();
  expect(await derive()).toBe(200);

  await put("token-secret", `${NEW},${OLD}`);
  await reload(service);
  await expect
    .poll(async () => (await stored())[0].private_key, { timeout: RECOVERY_MS })
    .not.toEqual(before.private_key);
  expect(await derive()).toBe(200);
  await put("token-secret", NEW);
  await reload(service);
  expect(await derive()).toBe(200);
  expect(await stored()).toEqual([expect.objectContaining({ kid: before.kid })]);

  const wrong = start({
    ...{ DATABASE_URL: database.href, OPERATOR_TOKEN: OLD },
    ...{ TOKEN_ISSUER: "https://tokens.example", TOKEN_SECRET: OLD },
  });
  const otherUrl = await wrong.listening();
  await wrong.waitFor(/"level":50,[^\n]*"kid":"[^\n]*TOKEN_SECRET does not decrypt a signing key/);
  const refused = await post(
    otherUrl,
    "/api/v1/tokens/derive",
    { scopes: ["plans:read"] },
    { "x-api-key": json.result.key },
  );
  expect({ status: refused.status, code: refused.json.code }).toEqual({ status: 503, code: "unavailable" });
  expect(wrong.output().split("does not decrypt a signing key: set").length).toBeGreaterThan(1);
  expect((await post(otherUrl, "/api/v1/auth/verify", {}, { "x-api-key": json.result.key })).status).toBe(200);
  for (const secret of [NEW, OLD]) expect(service.output() + wrong.output()).not.toContain(secret);
});
