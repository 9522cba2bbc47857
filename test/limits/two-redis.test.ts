// promise: limits.redis-other
import { Writable } from "node:stream";
import { Redis } from "ioredis";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { connectRedis, type RedisClient } from "../../src/store/redis/redis-connection.ts";
import { createRedisGuard, type RedisGuard } from "../../src/store/redis/redis-guard.ts";
import { readRedisIdentity } from "../../src/store/redis/redis-identity.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createRedisHold } from "../../src/store/sql/replicas/deployment-redis.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";

const PASSWORD = "hunter2 of Redis";
const TIMES = { check: 2_000, hold: 10_000, grace: 20_000 };
const cleanUps: (() => unknown)[] = [];

let databaseUrl: string;
let database: SqlDatabase;

beforeEach(async () => {
  databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url: databaseUrl, poolSize: 2 });
  await migrateToLatest(database);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await database.close();
  await dropDatabase(inject("postgresUrl"), databaseUrl);
});

async function newRedis(): Promise<RedisServer> {
  const server = await startOwnRedis({ args: ["--requirepass", PASSWORD] });
  cleanUps.push(() => server.stop());
  return server;
}

function urlOf({ port }: RedisServer, host = "127.0.0.1"): string {
  return `redis://:${encodeURIComponent(PASSWORD)}@${host}:${port}`;
}

/** A replica's guard, with the monotonic clock of that replica at hand. */
interface Replica extends RedisGuard {
  advance(ms: number): void;
  readonly lines: readonly string[];
}

/** Its checks are made by the test, one by one. */
async function newReplica(server: RedisServer | undefined, { isMoving = false } = {}): Promise<Replica> {
  let nowMs = 0;
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const client = server === undefined ? undefined : await clientOf(server);
  const guard = createRedisGuard({
    servers: server === undefined ? "" : `127.0.0.1:${server.port}`,
    readIdentity: async () => (client === undefined ? "none" : readRedisIdentity(client)),
    hold: createRedisHold(database),
    isMoving,
    log: pino(sink),
    times: TIMES,
    monotonicMs: () => nowMs,
  });
  await guard.check();
  return {
    ...guard,
    lines,
    advance(ms) {
      nowMs += ms;
    },
  };
}

async function clientOf(server: RedisServer): Promise<RedisClient> {
  const client = await connectRedis(redisAt(urlOf(server)));
  cleanUps.push(() => client.disconnect());
  return client;
}

/** As if no replica had renewed for that long. */
async function letHoldExpire(): Promise<void> {
  await sql`update deployment_redis set held_until = clock_timestamp() - interval '1 ms'`.execute(database.db);
}

async function flush(server: RedisServer): Promise<void> {
  const redis = new Redis(urlOf(server));
  await redis.flushall();
  redis.disconnect();
}

describe("a Redis that restarts without its data", () => {
  test("leaves no line in the log while its new id takes the place of the old one, and an error where that does not end", async () => {
    const server = await newRedis();
    const [first, second] = [await newReplica(server), await newReplica(server)];
    await flush(server);
    for (const replica of [first, second]) await replica.check();
    await letHoldExpire();
    for (const replica of [first, second, first]) await replica.check();
    expect([first.problem(), second.problem(), first.lines, second.lines]).toEqual([undefined, undefined, [], []]);
    const elsewhere = await newReplica(await newRedis());
    expect(elsewhere.lines.join("")).toContain("This replica is not ready");
    await flush(server);
    await first.check();
    first.advance(TIMES.grace);
    await first.check();
    await first.check();
    expect(first.lines.filter((line) => line.includes('"level":50'))).toHaveLength(1);
    expect(first.problem()).toBeDefined();
  });
});

describe("a replica with another Redis than the others", () => {
  test("is not ready and names both, without passwords; the others are not affected", async () => {
    const [a, b] = [await newRedis(), await newRedis()];
    const [first, second] = [await newReplica(a), await newReplica(a)];
    const other = await newReplica(b);
    for (const replica of [first, second, other]) await replica.check();
    expect(first.problem()).toBeUndefined();
    expect(second.problem()).toBeUndefined();
    expect(other.problem()).toMatch(
      new RegExp(
        `^this replica uses the Redis 127\\.0\\.0\\.1:${b.port} \\(\\w{8}\\), and the other replicas use 127\\.0\\.0\\.1:${a.port} \\(\\w{8}\\): two budgets for each key\\. .*REDIS_URL.*REDIS_MOVING=true$`,
      ),
    );
    expect(other.lines.filter((line) => line.includes('"level":50'))).toHaveLength(1);
    expect(other.problem() + other.lines.join("")).not.toContain("hunter2");
  });

  test("is not ready either where one of them has none", async () => {
    const server = await newRedis();
    await newReplica(server);
    expect((await newReplica(undefined)).problem()).toContain(
      `this replica has no Redis, and the other replicas use 127.0.0.1:${server.port}`,
    );
    await letHoldExpire();
    const without = await newReplica(undefined);
    expect(without.problem()).toBeUndefined();
    expect((await newReplica(server)).problem()).toContain("and the other replicas have none");
  });

  test("is ready as soon as no other replica is left", async () => {
    await newReplica(await newRedis());
    const other = await newReplica(await newRedis());
    expect(other.problem()).toBeDefined();
    await letHoldExpire();
    await other.check();
    expect(other.problem()).toBeUndefined();
    expect(other.lines.at(-1)).toContain("all replicas use one Redis");
  });

  test("serves during a move, with a warning, and takes nothing from the others", async () => {
    const [old, next] = [await newRedis(), await newRedis()];
    const before = await newReplica(old);
    const after = await newReplica(next, { isMoving: true });
    expect(after.problem()).toBeUndefined();
    expect(after.lines.join("")).toMatch(/"level":40,.*two budgets for each key\. REDIS_MOVING is true/);
    await before.check();
    expect(before.problem()).toBeUndefined();
    await letHoldExpire();
    await after.check();
    expect((await newReplica(next)).problem()).toBeUndefined();
  });

  test("loses against the first one also where both begin at the same time", async () => {
    const servers = [await newRedis(), await newRedis()];
    const replicas = await Promise.all([...servers, ...servers, ...servers].map((server) => newReplica(server)));
    for (const replica of replicas) await replica.check();
    const ready = replicas.map((replica) => replica.problem() === undefined);
    expect([
      [true, false, true, false, true, false],
      [false, true, false, true, false, true],
    ]).toContainEqual(ready);
  });
});

describe("one Redis", () => {
  test("that loses its data stays the one of all replicas, which are ready all the time", async () => {
    const server = await newRedis();
    const replicas = [await newReplica(server), await newReplica(server)];
    await flush(server);
    const checkAll = async (): Promise<void> => {
      for (const replica of replicas) {
        replica.advance(TIMES.check);
        await replica.check();
        expect(replica.problem()).toBeUndefined();
      }
    };
    for (let ms = 0; ms < TIMES.hold; ms += TIMES.check) await checkAll();
    await letHoldExpire();
    await checkAll();
    await checkAll();
    expect((await newReplica(server)).problem()).toBeUndefined();
    for (const replica of replicas) replica.advance(TIMES.grace);
    await checkAll();
  });

  test("that turns into another one for one of the replicas alone makes that one unready, after a grace", async () => {
    const [a, b] = [await newRedis(), await newRedis()];
    const stays = await newReplica(a);
    let server = a;
    const clients = new Map([
      [a, await clientOf(a)],
      [b, await clientOf(b)],
    ]);
    let nowMs = 0;
    const moved = createRedisGuard({
      servers: "redis.internal:6379",
      readIdentity: () => readRedisIdentity(clients.get(server) ?? expect.unreachable()),
      hold: createRedisHold(database),
      isMoving: false,
      log: pino(new Writable({ write: (_chunk, _encoding, done) => done() })),
      times: TIMES,
      monotonicMs: () => nowMs,
    });
    await moved.check();
    server = b;
    nowMs += TIMES.grace - 1;
    await moved.check();
    expect(moved.problem()).toBeUndefined();
    nowMs += 1;
    await stays.check();
    await moved.check();
    expect(moved.problem()).toContain("redis.internal:6379");
    expect(stays.problem()).toBeUndefined();
  });

  test("that is away stays that of its replicas: another one cannot take its place meanwhile", async () => {
    const server = await newRedis();
    const replica = await newReplica(server);
    await server.stop();
    await letHoldExpire();
    await replica.check();
    expect(replica.problem()).toBeUndefined();
    expect((await newReplica(await newRedis())).problem()).toBeDefined();
  });
});

test("/readyz of a replica with another Redis is 503 with the reason, and requests that come are served", async () => {
  const [a, b] = [await newRedis(), await newRedis()];
  const storage = { kind: "postgres", url: databaseUrl } as const;
  const start = async (server: RedisServer) => {
    const latchkey = await startLatchkey({ config: { storage, redis: redisAt(urlOf(server)) } });
    cleanUps.push(() => latchkey.close());
    return latchkey;
  };
  const first = await start(a);
  const second = await start(b);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  const refused = await fetch(`${second.url}/readyz`);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toEqual({
    status: "unavailable",
    reason: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${b.port}.*127\\.0\\.0\\.1:${a.port}`)),
  });
  await second.createKey(await second.dashboard());
});

test("with REDIS_REQUIRED a replica is ready if and only if Redis works; requests that come are served", async () => {
  const server = await newRedis();
  const storage = { kind: "postgres", url: databaseUrl } as const;
  const redis = redisAt(urlOf(server));
  const latchkey = await startLatchkey({ config: { storage, redis, redisRequired: true } });
  cleanUps.push(() => latchkey.close());
  const readyz = async () => {
    const answer = await fetch(`${latchkey.url}/readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await readyz()).toEqual([200, { status: "ready" }]);
  await server.stop();
  const reason = "Redis is away, and REDIS_REQUIRED is true";
  await expect.poll(readyz, { timeout: 15_000 }).toEqual([503, { status: "unavailable", reason }]);
  await latchkey.createKey(await latchkey.dashboard());
  const back = await startOwnRedis({ port: server.port, args: ["--requirepass", PASSWORD] });
  cleanUps.push(() => back.stop());
  await expect.poll(readyz, { timeout: 15_000 }).toEqual([200, { status: "ready" }]);
});
