// promise: limits.redis-away
import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../src/observability/log/log.ts";
import { connectSharedLimiter } from "../../src/store/limits/shared-limiter.ts";
import { AWAY, admitted, BACK, expectLimited, RedisBench } from "../harness/redis-bench.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { startOwnRedis } from "../servers/redis.ts";
import { startProxy, type TcpProxy } from "../servers/tcp.ts";

const TIMEOUT_MS = 200;
/** Slower than the timeout, and far from silent: the connection stays open. */
const SLOW_MS = 500;
const RECOVERY = { timeout: 15_000 };
const LIMIT = { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 };

let bench: RedisBench | undefined;
let proxy: TcpProxy | undefined;
afterEach(async () => {
  await bench?.close();
  await proxy?.stop();
});

// threat: L15
test("a Redis that answers later than REDIS_TIMEOUT_MS counts as away: no request waits for longer or gets a 5xx, and it is used again once it is fast", async () => {
  const slow = await RedisBench.start(
    async ({ port }) => {
      proxy = await startProxy(port);
      return `redis://127.0.0.1:${proxy.port}`;
    },
    { redisTimeoutMs: TIMEOUT_MS },
  );
  bench = slow;
  await slow.recovery();
  const before = slow.changes().length;
  const failed = await slow.failedCalls();
  const key = await slow.newKey(5);
  expect((await slow.use(key)).headers.get("x-ratelimit-remaining")).toBe("4");

  proxy?.delayAnswers(SLOW_MS);
  const answers = [...(await slow.useTimes(key, 3)), ...(await slow.useAtOnce(key, 20))];
  expectLimited(answers, 5);
  expect(admitted(answers)).toBe(5);
  for (const { waitedMs } of answers) expect(waitedMs).toBeLessThan(SLOW_MS);
  expect(slow.changes().slice(before)).toEqual([AWAY]);
  expect(await slow.redisUp()).toBe("0");
  // Those before it is away; while it is, most calls are not sent.
  expect(await slow.failedCalls()).toBeGreaterThanOrEqual(failed + 3);

  proxy?.delayAnswers(0);
  await slow.recovery();
  expect(slow.changes().slice(before)).toEqual([AWAY, BACK]);
  await slow.expectShared();
});

// threat: L15
test("after an outage in which Redis lost its data, a key was admitted its limit once more by each replica and once by the empty Redis", async () => {
  const server = await startOwnRedis();
  const clock = () => new Date("2030-01-01T00:00:00Z");
  const replicas = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const log = createLogger("silent", () => {});
      const context = { log, error: () => {}, warn: () => {}, metrics: new Registry(), clock, redisClock: clock };
      const replica = await connectSharedLimiter(redisAt(server.url), { ...context, redisTimeoutMs: 1_000 });
      onTestFinished(replica.close);
      return replica;
    }),
  );
  const budgetId = `key_${randomUUID()}`;
  /** How many of 20 requests are admitted, ten at each replica. */
  const admit = async () => {
    const uses = replicas.flatMap(({ limiter }) =>
      Array.from({ length: 10 }, async () => (await limiter.take(budgetId, LIMIT)).kind),
    );
    return (await Promise.all(uses)).filter((kind) => kind === "allow").length;
  };
  const areShared = () => replicas.map(({ isShared }) => isShared());

  await expect.poll(areShared).toEqual([true, true]);
  expect(await admit()).toBe(5);
  await server.stop();
  expect(await admit()).toBe(replicas.length * 5);
  await expect.poll(areShared, RECOVERY).toEqual([false, false]);
  const empty = await startOwnRedis({ port: server.port });
  onTestFinished(() => empty.stop());
  await expect.poll(areShared, RECOVERY).toEqual([true, true]);
  expect(await admit()).toBe(5);
  expect(await admit()).toBe(0);

  // A second outage within the window: what the replicas admitted counts, so only an empty Redis admits more.
  await empty.stop();
  expect(await admit()).toBe(0);
});
