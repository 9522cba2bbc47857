import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getMigrations } from "better-auth/db/migration";
import { Redis } from "ioredis";
import { options, pool } from "./better-auth-options.ts";

/** Makes better-auth's tables, then stores the keys of `KEYS_FILE` in them, or in Redis if `REDIS_URL` is set. */

interface Keys {
  readonly secrets: readonly string[];
  readonly limited: readonly string[];
  readonly limit: number;
  readonly noDenialLimit: number;
  readonly tableSize: number;
}

const COLUMNS = `"id", "configId", "name", "start", "prefix", "key", "referenceId", "enabled", "rateLimitEnabled",
  "rateLimitTimeWindow", "rateLimitMax", "requestCount", "createdAt", "updatedAt"`;
const ROWS_PER_STATEMENT = 5_000;
const WINDOW_MS = 60_000;
/**
 * It keeps a list of each user's keys and writes it with each use of one, a user's after one another: with all keys in
 * one list, what it defers would pile up for as long as there are requests, and be no part of what is measured.
 */
const KEYS_PER_USER = 10;

const keys: Keys = JSON.parse(await readFile(process.env.KEYS_FILE ?? "", "utf8"));
const rows = [
  ...keys.secrets.map((secret) => ({ secret, limit: keys.noDenialLimit })),
  ...keys.limited.map((secret) => ({ secret, limit: keys.limit })),
].map(({ secret, limit }, n) => ({
  id: `ba_${n}`,
  key: hash("sha256", secret, "base64url"),
  user: `user_${Math.floor(n / KEYS_PER_USER)}`,
  limit,
}));

// On Redis, too: it looks for expired keys in the database every now and then.
await (await getMigrations(options)).runMigrations();
if (process.env.REDIS_URL === undefined) await intoPostgres();
else await intoRedis(process.env.REDIS_URL);
process.exit(0);

async function intoPostgres(): Promise<void> {
  for (let n = 0; n < rows.length; n += ROWS_PER_STATEMENT) {
    const part = rows.slice(n, n + ROWS_PER_STATEMENT);
    await pool.query(
      `insert into apikey (${COLUMNS})
       select id, 'default', 'benchmark', 'sk_', 'sk_', key, "user", true, true, ${WINDOW_MS}, max, 0, now(), now()
       from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as given (id, key, "user", max)`,
      [
        part.map(({ id }) => id),
        part.map(({ key }) => key),
        part.map(({ user }) => user),
        part.map(({ limit }) => limit),
      ],
    );
  }
  await pool.query(
    `insert into apikey (${COLUMNS})
     select 'unused_' || n, 'default', 'benchmark', 'sk_', 'sk_', encode(sha256(('unused ' || n)::bytea), 'base64'),
       'user_' || n / ${KEYS_PER_USER}, true, true, ${WINDOW_MS}, 600, 0, now(), now()
     from generate_series(1, $1::int) as n`,
    [keys.tableSize - keys.secrets.length],
  );
  await pool.query("vacuum analyze apikey");
}

async function intoRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  const now = new Date().toISOString();
  await Promise.all(
    rows.map(({ id, key, user, limit }) => {
      const record = {
        ...{ id, key, configId: "default", name: "benchmark", start: "sk_", prefix: "sk_", referenceId: user },
        ...{ enabled: true, rateLimitEnabled: true, rateLimitTimeWindow: WINDOW_MS, rateLimitMax: limit },
        ...{ requestCount: 0, remaining: null, refillAmount: null, refillInterval: null, lastRefillAt: null },
        ...{ lastRequest: null, expiresAt: null, permissions: null, metadata: null, createdAt: now, updatedAt: now },
      };
      return redis.set(`api-key:${key}`, JSON.stringify(record));
    }),
  );
}
