import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { createDatabase } from "../servers/postgres.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";

const REQUESTS = 20;

let server: RedisServer;
let redis: Redis;
let service: PublishableService;

beforeAll(async () => {
  server = await startOwnRedis();
  redis = new Redis(server.url);
  const storage = { kind: "postgres", url: await createDatabase(inject("postgresUrl")) } as const;
  service = await startPublishable({ redis: redisAt(server.url), storage });
}, 120_000);

afterAll(async () => {
  await service.latchkey.close();
  redis.disconnect();
  await server.stop();
});

/** The number of script calls that Redis has run so far. */
async function scriptCalls(): Promise<number> {
  const stats = await redis.info("commandstats");
  return Array.from(stats.matchAll(/^cmdstat_(?:eval|evalsha):calls=(\d+)/gm), ([, count]) => Number(count)).reduce(
    (sum, count) => sum + count,
    0,
  );
}

const callers = {
  async "a secret key"() {
    const dashboard = dashboardOf(service.latchkey);
    const { key } = await dashboard.createKey({
      keyType: "KEY_TYPE_SECRET",
      rate_limit: { requests_per_minute: 1_000 },
    });
    return () => service.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
  },
  async "a publishable key, each token new"() {
    const app = await service.newApp({ fields: { rate_limit: { requests_per_minute: 1_000 } } });
    let users = 0;
    return () => app.verify(app.token({ sub: `user_${++users}` }));
  },
};

test.each(Object.entries(callers))(
  "a request with %s whose record is known is one way to Redis",
  async (_, makeCaller) => {
    const call = await makeCaller();
    for (let n = 0; n < 3; n++) await call();
    const before = await scriptCalls();
    const left: (string | null)[] = [];
    for (let n = 0; n < REQUESTS; n++) left.push((await call()).headers.get("x-ratelimit-remaining"));
    expect(await scriptCalls()).toBe(before + REQUESTS);
    // Each of them has still spent one request.
    expect(left).toEqual(Array.from({ length: REQUESTS }, (__, n) => String(996 - n)));
  },
);
