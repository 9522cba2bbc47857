import { apiKey } from "@better-auth/api-key";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { Redis } from "ioredis";
import pg from "pg";

/** better-auth with its API-key plugin, on Redis alone if `REDIS_URL` is set, else on PostgreSQL. */

const redis = process.env.REDIS_URL === undefined ? undefined : new Redis(process.env.REDIS_URL);
export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const plugin = apiKey({
  storage: redis === undefined ? "database" : "secondary-storage",
  // Its fastest mode: counters are written after the answer.
  deferUpdates: true,
  rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 1_000_000 },
});

export const options = {
  database: pool,
  secret: "a secret of the benchmark, which protects nothing at all",
  baseURL: "http://127.0.0.1",
  logger: { disabled: true },
  telemetry: { enabled: false },
  advanced: { backgroundTasks: { handler: (task: Promise<unknown>) => void task } },
  plugins: [plugin],
  ...(redis && { secondaryStorage: storageOn(redis) }),
} satisfies BetterAuthOptions;

export const auth = betterAuth(options);

function storageOn(client: Redis): NonNullable<BetterAuthOptions["secondaryStorage"]> {
  return {
    get: (key) => client.get(key),
    getAndDelete: (key) => client.getdel(key),
    async set(key, value, ttl) {
      await (ttl === undefined ? client.set(key, value) : client.set(key, value, "EX", ttl));
    },
    async delete(key) {
      await client.del(key);
    },
    async increment(key, ttl) {
      const count = await client.incr(key);
      if (count === 1) await client.expire(key, ttl);
      return count;
    },
  };
}
