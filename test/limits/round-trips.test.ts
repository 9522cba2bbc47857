import { connect } from "node:http2";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { postOn } from "../harness/http2-client.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { onStatements } from "../store/sent-statements.ts";

const REQUESTS = 20;
const LIMITED = { rate_limit: { requests_per_minute: 1_000 } };
/**
 * What a replica sends without requests: its look, its renewals, the usage of keys, hints, the Redis of the deployment, runs
 * webhooks and erasures that wait, the proof that PostgreSQL works, and a listener that connects anew.
 */
const BACKGROUND =
  /\breplicas\b|key_usage|recent_requests|webhook_|\bwebhooks\b|key_lifecycle|pg_notify|deployment_redis|"runs"|"erasures"|transaction_read_only|array_fill|^(begin|commit|listen\b|rollback|select 1|set local|select case when status)\b/i;

let server: RedisServer;
let redis: Redis;
let service: PublishableService;
/** The statements that requests caused. */
let statements: string[] = [];
/** The scripts for budgets of keys. */
let scripts = 0;

beforeAll(async () => {
  server = await startOwnRedis();
  redis = new Redis(server.url);
  const storage = { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) } as const;
  service = await startPublishable({ redis: redisAt(server.url), storage });
  onStatements(storage.url, ({ sql }) => {
    if (!BACKGROUND.test(sql)) statements.push(sql);
  });
  const { sendCommand } = Redis.prototype;
  // Not by MONITOR: ioredis fails with "Command queue state error" when the first lines arrive together with its OK.
  vi.spyOn(Redis.prototype, "sendCommand").mockImplementation(function (this: Redis, ...args) {
    const [{ name, args: words }] = args;
    if (
      this.options.port === server.port &&
      /^eval(sha)?$/i.test(name) &&
      words.some((word) => String(word).includes(":rl:key_"))
    )
      scripts += 1;
    return Reflect.apply(sendCommand, this, args);
  });
}, 120_000);

afterAll(async () => {
  vi.restoreAllMocks();
  await service.latchkey.close();
  redis.disconnect();
  await server.stop();
});

/** How many scripts for budgets of keys the service sends to Redis during the work. The service's probe has another budget. */
async function scriptsFor(work: () => Promise<unknown>): Promise<number> {
  [statements, scripts] = [[], 0];
  await work();
  return scripts;
}

async function secretKey(fields: Record<string, unknown>) {
  const { key } = await dashboardOf(service.latchkey).createKey({ keyType: "KEY_TYPE_SECRET", ...fields });
  return { call: () => service.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key }) };
}

async function publishableKey(fields: Record<string, unknown>) {
  const app = await service.newApp({ fields });
  let users = 0;
  return { call: () => app.verify(app.token({ sub: `user_${++users}` })) };
}

/** A token of a secret key, which one request of the key's limit has derived. */
async function tokenOfKey({ rate_limit, ...fields }: { readonly rate_limit?: { requests_per_minute: number } }) {
  const limit = rate_limit && { rate_limit: { requests_per_minute: rate_limit.requests_per_minute + 1 } };
  const { derive } = await derivingKey(service.latchkey, { ...fields, ...limit });
  const headers = { authorization: `Bearer ${(await derive({ scopes: ["plans:read"] })).token}` };
  return { call: () => service.latchkey.call("/api/v1/auth/verify", {}, headers) };
}

const callers = {
  "a secret key": secretKey,
  "a token of a secret key": tokenOfKey,
  "a publishable key, each token new": publishableKey,
};

describe.each(Object.entries(callers))("a request with %s that is cached", (_, makeCaller) => {
  test("and has a limit is one way to Redis, and none to PostgreSQL", async () => {
    const { call } = await makeCaller(LIMITED);
    for (let n = 0; n < 3; n++) await call();
    const left: (string | null)[] = [];
    const sent = await scriptsFor(async () => {
      for (let n = 0; n < REQUESTS; n++) left.push((await call()).headers.get("x-ratelimit-remaining"));
    });
    expect({ sent, statements }).toEqual({ sent: REQUESTS, statements: [] });
    expect(left).toEqual(Array.from({ length: REQUESTS }, (__, n) => String(996 - n)));
  });

  test("and has no limit goes to neither", async () => {
    const { call } = await makeCaller({});
    for (let n = 0; n < 3; n++) expect((await call()).status).toBe(200);
    const sent = await scriptsFor(async () => {
      for (let n = 0; n < REQUESTS; n++) expect((await call()).status).toBe(200);
    });
    expect({ sent, statements }).toEqual({ sent: 0, statements: [] });
  });
});

test("eight requests that arrive together share one way to Redis", async () => {
  const { key } = await dashboardOf(service.latchkey).createKey({ keyType: "KEY_TYPE_SECRET", ...LIMITED });
  const session = connect(service.latchkey.url);
  const verify = () => postOn(session, "/api/v1/auth/verify", {}, { "x-api-key": key });
  for (let n = 0; n < 3; n++) await verify();
  const sent = await scriptsFor(() => Promise.all(Array.from({ length: 64 }, verify)));
  session.close();
  expect(sent).toBeGreaterThanOrEqual(64 / 8);
  expect(sent).toBeLessThan(64);
});

// threat: H4
test("Redis has the budgets of keys with a limit and nothing else: no hash, no secret, no tenant, no name", async () => {
  const tenant = "the tenant";
  const fields = { name: "the name", description: "the description" };
  const dashboard = dashboardOf(service.latchkey, tenant);
  const made = await Promise.all([
    dashboard.createKey({ ...fields, ...LIMITED }),
    dashboard.createKey(fields),
    dashboard.createKey(fields),
  ]);
  const [limited, unlimited, revoked] = made;
  const apps = await Promise.all([
    service.newApp({ tenant, fields: { ...fields, ...LIMITED } }),
    service.newApp({ fields }),
  ]);
  await dashboard.result("update", { key_id: limited.key_id, name: "the new name", update_mask: "name" });
  for (let n = 0; n < 3; n++) {
    for (const { key } of made) await service.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    for (const app of apps) await app.verify(app.token({ sub: "the user" }));
    if (n === 0) await dashboard.result("revoke", { key_id: revoked.key_id });
  }
  // A random text, the same for all replicas, and how far the database is, beside the budgets.
  expect(await redis.get("lk:identity")).toMatch(/^[\da-f-]{36}$/);
  const names = (await redis.keys("*")).filter((name) => !/^lk:(identity$|history:)/.test(name));
  const values = await Promise.all(names.map((name) => redis.getBuffer(name)));
  expect(names.filter((name) => !/^lk:\{(..)\}:rl:(key_\w+\1|probe)$/.test(name))).toEqual([]);
  expect(names.filter((name) => name.endsWith(limited.key_id))).toHaveLength(1);
  for (const { key_id } of [unlimited, revoked]) expect(names.filter((name) => name.endsWith(key_id))).toEqual([]);
  // Seven numbers of eight bytes each, see `take.lua.ts`.
  expect(new Set(values.map((value) => value?.length))).toEqual(new Set([56]));
  const everything = [...names, ...values.map((value) => value?.toString("latin1"))].join("\n");
  const secrets = [...made.map(({ key }) => key), ...apps.map(({ keyHeader }) => keyHeader["x-api-key"])];
  const hashes = secrets.map(hashSecret);
  const hex = hashes.map((hash) => Buffer.from(hash, "base64url").toString("hex"));
  for (const text of [
    ...secrets,
    ...hashes,
    ...hex,
    tenant,
    "the name",
    "the new name",
    "the description",
    "the user",
  ]) {
    expect(everything).not.toContain(text);
  }
});
