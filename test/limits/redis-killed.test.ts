// promise: rotation.budget, limits.redis-away
import { Redis } from "ioredis";
import { describe } from "vitest";
import { PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import {
  ANSWER_MS,
  AWAY,
  admitted,
  BACK,
  type BenchKey,
  expectLimited,
  benchTest as test,
  WAITED_MS,
} from "../harness/redis-bench.ts";
import { startWaitMeter } from "../harness/waited.ts";

const VERIFY = "/api/v1/auth/verify";

describe.concurrent("while Redis works", () => {
  test("limits are shared, the gauge is 1 and nothing is logged about it", async ({ startBench, expect }) => {
    const bench = await startBench();
    await bench.expectShared();
    expect(await bench.redisUp()).toBe("1");
    expect(bench.changes()).toEqual([]);
  });

  // threat: L15
  test("a Redis that lost its data within a window admits the limit once more, and not more often", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench();
    const key = await bench.newKey(5);
    expect(admitted(await bench.useTimes(key, 10))).toBe(5);
    await bench.onRedis((redis) => redis.flushall());
    expect(admitted(await bench.useTimes(key, 20))).toBe(5);
  });

  test("it may lose the script at any time", async ({ startBench, expect }) => {
    const bench = await startBench();
    const key = await bench.newKey(5);
    await bench.use(key);
    await bench.onRedis((redis) => redis.script("FLUSH"));
    expect(admitted(await bench.useTimes(key, 10))).toBe(4);
    expect(bench.changes()).toEqual([]);
  });
});

describe.concurrent("a Redis that is killed", () => {
  // threat: L16, H6
  test("each request is answered within a second, and the limit is enforced by the replica", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench();
    const key = await bench.newKey(5);
    expectLimited(await bench.useTimes(key, 2), 5);
    await bench.server.stop();
    const answers = await bench.useTimes(key, 30);
    expectLimited(answers, 5);
    // The local budget starts full.
    expect(admitted(answers)).toBe(5);
    expect(admitted(await bench.useAtOnce(await bench.newKey(3), 50))).toBe(3);
  });

  test("a rotated key and its successor share one budget, and each user has one, also without it", async ({
    startBench,
    expect,
  }) => {
    const { latchkey, server } = await startBench();
    await server.stop();
    const dashboard = await latchkey.dashboard(newTenant());
    const { key, key_id } = await latchkey.createKey(dashboard, {
      rate_limit: { requests_per_minute: 20, per_user: { requests_per_minute: 6 } },
      permissions: ["users:impersonate"],
    });
    const rotation = await latchkey.call("/api/v1/api-keys/rotate", { key_id }, dashboard);
    const keys = [key, String(rotation.json.result.key)];
    const use = (n: number, headers: Record<string, string>) =>
      latchkey.call(VERIFY, {}, { "x-api-key": keys[n % 2] ?? "", ...headers });
    const asAnna = Array.from({ length: 40 }, (_, n) => use(n, { "x-on-behalf-of": "anna" }));
    expect(admitted(await Promise.all(asAnna))).toBe(6);
    expect(admitted(await Promise.all(Array.from({ length: 60 }, (_, n) => use(n, {}))))).toBe(14);
  });

  test("and returns again and again is used each time, logged once each, and the limit holds all the time", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench();
    const key = await bench.newKey(5);
    let total = 0;
    for (let round = 0; round < 3; round++) {
      total += admitted(await bench.useTimes(key, 10));
      await bench.server.stop();
      total += admitted(await bench.useTimes(key, 10));
      expect(await bench.redisUp()).toBe("0");
      await bench.replaceRedis();
      await bench.recovery();
    }
    // Each empty Redis admits the limit once more, and so does this replica, once.
    expect(total).toBeLessThanOrEqual(4 * 5);
    expect(bench.changes()).toEqual([AWAY, BACK, AWAY, BACK, AWAY, BACK]);
    await bench.expectShared();
  });

  test("a hundred requests at that moment are answered in time, and no more are admitted than both budgets allow", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench();
    const key = await bench.newKey(10);
    const underWay = bench.useAtOnce(key, 100);
    await bench.server.stop();
    const answers = [...(await underWay), ...(await bench.useAtOnce(key, 100))];
    for (const { status } of answers) expect([200, 429]).toContain(status);
    expect(admitted(answers)).toBeGreaterThanOrEqual(10);
    expect(admitted(answers)).toBeLessThanOrEqual(20);
    expect(bench.changes()).toEqual([AWAY]);
  });

  test("the log has the cause and no credentials, after a kill and after a start with a wrong password", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench(async ({ port }) => {
      const operator = new Redis(port);
      await operator.config("SET", "requirepass", "right-password");
      operator.disconnect();
      return `redis://:wrong-password@127.0.0.1:${port}`;
    });
    const [atStart] = bench.latchkey.logLines.filter((line) => line.includes("cannot connect to Redis"));
    const { servers, msg } = JSON.parse(atStart ?? "{}");
    expect(msg).toMatch(/^cannot connect to Redis: WRONGPASS /);
    expect(servers).toBe(`127.0.0.1:${bench.server.port}`);
    const operator = new Redis({ port: bench.server.port, password: "right-password" });
    await operator.config("SET", "requirepass", "wrong-password");
    operator.disconnect();
    await bench.recovery();
    await bench.server.stop();
    await bench.useTimes(await bench.newKey(1_000), 5);
    expect(bench.changes()).toEqual([AWAY, BACK, AWAY]);
    expect(bench.latchkey.logLines.join()).not.toMatch(/(right|wrong)-password/);
  });
});

test.concurrent("a Redis that starts to require a password is logged as that, once, even if requests detect the outage before", async ({
  startBench,
  expect,
}) => {
  const bench = await startBench();
  const key = await bench.newKey(1_000);
  await bench.use(key);
  let isOver = false;
  const use = async () => {
    while (!isOver) await bench.use(key);
  };
  const users = Promise.all(Array.from({ length: 8 }, use));
  const operator = new Redis(bench.server.url);
  await operator.config("SET", "requirepass", "another-password");
  await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  const connections = async () => Number(/total_connections_received:(\d+)/.exec(await operator.info("stats"))?.[1]);
  const before = await connections();
  await expect.poll(connections, { timeout: 10_000 }).toBeGreaterThan(before + 5);
  operator.disconnect();
  isOver = true;
  await users;
  const causes = bench.latchkey.logLines.filter((line) => line.includes("cannot connect to Redis"));
  expect(causes.filter((cause) => /NOAUTH/.test(cause))).toHaveLength(1);
  expect(bench.changes()).toEqual([AWAY]);
});

test.concurrent("an outage and its end are logged also without requests", async ({ startBench, expect }) => {
  const bench = await startBench();
  await bench.server.stop();
  await expect.poll(() => bench.redisUp(), { timeout: 15_000 }).toBe("0");
  expect(bench.changes()).toEqual([AWAY]);
  await bench.replaceRedis();
  await expect.poll(() => bench.redisUp(), { timeout: 15_000 }).toBe("1");
  expect(bench.changes()).toEqual([AWAY, BACK]);
});

describe.concurrent("starting", () => {
  test("without Redis works with limits per replica, shown by gauge and log before the first request, until Redis is there", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench((server) => server.stop());
    expect(await bench.redisUp()).toBe("0");
    expect(bench.changes()).toEqual([AWAY]);
    expect(bench.latchkey.logLines.join()).toContain("ECONNREFUSED");
    const answers = await bench.useTimes(await bench.newKey(3), 10);
    expectLimited(answers, 3);
    expect(admitted(answers)).toBe(3);
    await bench.replaceRedis();
    await bench.recovery();
    await bench.expectShared();
    expect(bench.changes()).toEqual([AWAY, BACK]);
  });

  test("with a Redis that hangs works, and Redis is used when it continues", async ({ startBench, expect }) => {
    const bench = await startBench(({ pid }) => void process.kill(pid, "SIGSTOP"));
    expect(await bench.redisUp()).toBe("0");
    expect(admitted(await bench.useTimes(await bench.newKey(3), 10))).toBe(3);
    bench.signal("SIGCONT");
    await bench.recovery();
    await bench.expectShared();
  });
});

describe.concurrent("keys during the outage", () => {
  /** Far below the time that a change waits for a dead replica, and for a Redis that hangs. */
  const CHANGE_MS = 900;

  // threat: L16
  test.for(["SIGKILL", "SIGSTOP"] as const)(
    "%s: keys do not depend on Redis: they are verified, and a revocation binds as soon as usual",
    async (signal, { startBench, expect }) => {
      const bench = await startBench();
      const tenant = newTenant();
      const revoke = async ({ keyId }: BenchKey) => {
        const dashboard = await bench.latchkey.dashboard(tenant);
        const waited = startWaitMeter();
        const { status } = await bench.latchkey.call("/api/v1/api-keys/revoke", { key_id: keyId }, dashboard);
        return { status, waitedMs: waited() };
      };
      const [before, during, limited] = [
        await bench.newKey(5, tenant),
        await bench.newKey(0, tenant),
        await bench.newKey(500, tenant),
      ];
      for (const key of [before, during, limited]) expect((await bench.use(key)).status).toBe(200);
      await revoke(before);
      bench.signal(signal);
      for (let n = 0; n < 5; n++) expect((await bench.use(before)).json.denial_reason).toBe("api_key_revoked");
      for (const answer of await bench.useTimes(during, 5)) {
        expect(answer.status).toBe(200);
        expect(answer.waitedMs).toBeLessThan(WAITED_MS);
      }
      const revoked = await revoke(during);
      expect(revoked.status).toBe(200);
      expect(revoked.waitedMs).toBeLessThan(CHANGE_MS);
      for (const answer of await bench.useTimes(during, 5)) {
        expect(answer.json.denial_reason).toBe("api_key_revoked");
        expect(answer.waitedMs).toBeLessThan(WAITED_MS);
        expect(answer.headers.get("x-ratelimit-limit")).toBe("0");
      }
      const answer = await bench.use(limited);
      expect(answer.status).toBe(200);
      expect(answer.waitedMs).toBeLessThan(ANSWER_MS);
      expect(admitted(await bench.useTimes(await bench.newKey(2, tenant), 5))).toBe(2);
    },
  );

  test("a publishable key's rejected token spends nothing of the local budget either", async ({
    startBench,
    expect,
  }) => {
    const bench = await startBench();
    const { key } = await bench.latchkey.createKey(await bench.latchkey.dashboard(), {
      ...PUBLISHABLE,
      rate_limit: { requests_per_minute: 5 },
    });
    await bench.server.stop();
    for (let n = 0; n < 10; n++) {
      const headers = { "x-api-key": key, authorization: "Bearer x.y.z" };
      const answer = await bench.latchkey.call(VERIFY, {}, headers);
      expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_malformed"]);
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("5");
    }
  });
});
