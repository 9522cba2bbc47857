import { Redis } from "ioredis";
import { expect, inject, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { eventually } from "./eventually.ts";
import type { Answer } from "./http.ts";
import { type Latchkey, newTenant, startLatchkey } from "./latchkey.ts";
import { redisAt } from "./redis-servers.ts";
import { startWaitMeter } from "./waited.ts";

const VERIFY = "/api/v1/auth/verify";
/** A request is answered within this, whatever Redis does. */
export const ANSWER_MS = 2_000;
/** The time limit of one command, less a little. A request that took this long was waiting for Redis. */
export const WAITED_MS = 950;

/** Time between two probes of a Redis that is away. */
const PROBE_MS = 250;

/** The log lines of a change. */
export const AWAY = "Redis is away: limits are enforced per replica";
export const BACK = "Redis is back: limits are enforced over all replicas again";

export interface BenchKey {
  readonly keyId: string;
  readonly headers: Record<string, string>;
}

/** An answer and how long it took, and how much of that was spent on waiting. */
export type Timed = Answer & { readonly ms: number; readonly waitedMs: number };

/** A test that may run at once with others: it starts benches of its own, which are closed when it ends. */
export const benchTest = test.extend<{ startBench: (before?: BeforeStart) => Promise<RedisBench> }>({
  startBench: async ({ onTestFinished: _ }, use) => {
    const benches: RedisBench[] = [];
    await use(async (before) => {
      const bench = await RedisBench.start(before);
      benches.push(bench);
      return bench;
    });
    await Promise.all(benches.map((bench) => bench.close()));
  },
});

/** Has its way with the Redis before the service starts; it may answer another URL of it. */
type BeforeStart = (server: RedisServer) => unknown;

/** A service and a Redis of its own, which a test may kill, stop, spoil and replace. */
export class RedisBench {
  readonly latchkey: Latchkey;
  server: RedisServer;
  #closed: Promise<void> | undefined;
  /** Changes that were logged before Redis was in use for the first time. */
  #early = 0;

  private constructor(latchkey: Latchkey, server: RedisServer) {
    this.latchkey = latchkey;
    this.server = server;
  }

  static async start(before?: BeforeStart, config: Partial<Config> = {}): Promise<RedisBench> {
    const server = await startOwnRedis();
    const url = await before?.(server);
    const bench = new RedisBench(await startService(typeof url === "string" ? url : server.url, config), server);
    if (before === undefined) await bench.#inUse();
    return bench;
  }

  /** A start does not wait for Redis for long: on a busy machine it is away at first, and back with the first probe. */
  async #inUse(): Promise<void> {
    await eventually(async () => expect(await this.redisUp()).toBe("1"));
    this.#early = this.changes().length;
  }

  /** Harmless when repeated. */
  close(): Promise<void> {
    this.#closed ??= this.latchkey.close().then(() => this.server.stop());
    return this.#closed;
  }

  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    process.kill(this.server.pid, name);
  }

  /** Another Redis, an empty one, on the port of the one that was stopped. */
  async replaceRedis(): Promise<void> {
    this.server = await startOwnRedis({ port: this.server.port });
  }

  /** Works on the Redis as an operator would. */
  async onRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.server.url);
    return work(redis).finally(() => redis.disconnect());
  }

  async newKey(requestsPerMinute = 0, tenant = newTenant()): Promise<BenchKey> {
    const rate_limit = { requests_per_minute: requestsPerMinute };
    const { key, key_id } = await this.latchkey.createKey(await this.latchkey.dashboard(tenant), { rate_limit });
    return { keyId: key_id, headers: { "x-api-key": key } };
  }

  async use({ headers }: BenchKey): Promise<Timed> {
    const startedAt = performance.now();
    const waited = startWaitMeter();
    const answer = await this.latchkey.call(VERIFY, {}, headers);
    return { ...answer, ms: performance.now() - startedAt, waitedMs: waited() };
  }

  /** One after the other. */
  async useTimes(key: BenchKey, times: number): Promise<Timed[]> {
    const answers: Timed[] = [];
    for (let n = 0; n < times; n++) answers.push(await this.use(key));
    return answers;
  }

  useAtOnce(key: BenchKey, times: number): Promise<Timed[]> {
    return Promise.all(Array.from({ length: times }, () => this.use(key)));
  }

  /** The log's messages about Redis' availability, in order, since Redis was in use if it was to be from the start. */
  changes(): string[] {
    const messages = this.latchkey.logLines.map((line) => String(JSON.parse(line).msg));
    return messages.filter((message) => message === AWAY || message === BACK).slice(this.#early);
  }

  redisUp(): Promise<string | undefined> {
    return this.#metric("up");
  }

  async failedCalls(): Promise<number> {
    return Number(await this.#metric("failed_calls_total"));
  }

  async #metric(name: string): Promise<string | undefined> {
    const metrics = await fetch(`${this.latchkey.url}/metrics`).then((response) => response.text());
    return new RegExp(`^latchkey_redis_${name} (\\d+)$`, "m").exec(metrics)?.[1];
  }

  /** Sends requests until Redis is in use again. */
  async recovery(): Promise<void> {
    const any = await this.newKey(1_000);
    const isUp = async (): Promise<void> => {
      await this.use(any);
      expect(await this.redisUp()).toBe("1");
    };
    await eventually(isUp);
  }

  /** Another replica's requests and ours come out of one budget. */
  async expectShared(): Promise<void> {
    const key = await this.newKey(10);
    expect(await this.#remainingAfterUse(key)).toBe("9");
    const limit = { requestsPerMinute: 10, requestsPerHour: 0, burstSize: 0 };
    const elsewhere = await this.onRedis(async (redis) => {
      // The limiter waits a second for its reply, and not for the connection.
      await redis.ping();
      return createRedisLimiter(redis).take(key.keyId, limit);
    });
    expect(elsewhere.remaining).toBe(8);
    expect(await this.#remainingAfterUse(key)).toBe("7");
  }

  async #remainingAfterUse(key: BenchKey): Promise<string | null> {
    return (await this.use(key)).headers.get("x-ratelimit-remaining");
  }
}

async function startService(redisUrl: string, config: Partial<Config>): Promise<Latchkey> {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  return startLatchkey({ config: { ...config, redis: redisAt(redisUrl), storage: { kind: "postgres", url } } });
}

export function admitted(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

/** A probe may wait for a Redis that is away, one in 250 ms; all other answers come at once. */
export function expectProbesAlone(answers: readonly Timed[]): void {
  const [probes, others] = [answers.filter(isLate), answers.filter((answer) => !isLate(answer))];
  expect(others).not.toEqual([]);
  const sentWithinMs = others.reduce((sum, { ms }) => sum + ms, 0);
  expect(probes.length).toBeLessThanOrEqual(2 + sentWithinMs / PROBE_MS);
}

function isLate({ waitedMs }: Timed): boolean {
  return waitedMs > WAITED_MS;
}

/** Every answer is a 200 or a 429, in time, with headers that make sense. */
export function expectLimited(answers: readonly Timed[], limit: number): void {
  for (const { status, headers, waitedMs } of answers) {
    expect([200, 429]).toContain(status);
    expect(waitedMs).toBeLessThan(ANSWER_MS);
    expect(headers.get("x-ratelimit-limit")).toBe(`${limit}`);
    expect(headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
    expect(headers.get("x-ratelimit-reset")).toMatch(/^\d+$/);
  }
}
