import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { DatabaseOptions } from "../src/config/settings.ts";
import { generateSigningKey, startIdentityProvider } from "../src/dev/identity-provider.ts";
import { openDatabase } from "../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../src/store/sql/migrations/migrator.ts";
import { createDatabase, startPostgres } from "../test/servers/postgres.ts";
import { startRedis } from "../test/servers/redis.ts";
import { type BenchKeys, makeKeys, storeKeys, storeNewerKeys } from "./keys.ts";
import { startUsers, type Users } from "./users.ts";

/** Whose database it is: each has its own, with the tables of its version. */
export interface Owner {
  readonly name: string;
  migrate(options: DatabaseOptions): Promise<void>;
}

/** Latchkey as it is now. */
export const LATCHKEY: Owner = { name: "latchkey", migrate };
/** Who reads the same tables: its sessions are none of Latchkey's, in a database that Latchkey watches. */
export const RIVALS: Owner = { name: "rivals", migrate };

/** Everything around the measured servers: databases, identity providers, keys. */
export interface World {
  readonly tableSize: number;
  readonly keys: BenchKeys;
  readonly users: Users;
  readonly redisUrl: string;
  /** Removed at the end. */
  readonly folder: string;
  /** Seconds of CPU that Redis has used so far. */
  redisCpuSeconds(): Promise<number>;
  /** URL of the owner's PostgreSQL database with the keys in it, filled at the first call. */
  database(owner: Owner): Promise<string>;
  /** Folder of the owner's embedded database with the same keys, filled at the first call. */
  dataDir(owner: Owner): Promise<string>;
  /** An empty PostgreSQL database on the same server, made at the first call. */
  emptyDatabase(): Promise<string>;
  /** Environment of the product's identity providers. */
  readonly oidcEnv: Readonly<Record<string, string>>;
  /** A token of a dashboard user of the keys' tenant. */
  userToken(): Promise<string>;
  close(): Promise<void>;
}

/** `inUseMax`: keys that requests are made with, if not the usual number. */
export async function startWorld(tableSize: number, inUseMax?: number): Promise<World> {
  const closers: (() => Promise<unknown>)[] = [];
  const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"));
  // Also when the run is interrupted: an embedded database is a hundred megabytes.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const keys = makeKeys(tableSize, inUseMax);
  const users = await startUsers();
  const provider = await startIdentityProvider(await generateSigningKey());
  closers.push(users.close, provider.close);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  closers.push(postgres.stop, redis.stop);
  const redisClient = new Redis(redis.url);
  closers.push(async () => redisClient.disconnect());
  async function fill(owner: Owner, options: DatabaseOptions): Promise<void> {
    await owner.migrate(options);
    await storeKeys(options, keys, tableSize, users.oidc);
    if (owner === LATCHKEY) await storeNewerKeys(options, keys, users.oidc);
  }
  return {
    tableSize,
    keys,
    users,
    redisUrl: redis.url,
    folder,
    redisCpuSeconds: async () => cpuSecondsOf(await redisClient.info("cpu")),
    database: onceEach(async (owner) => {
      const url = await createDatabase(postgres.url);
      await fill(owner, { kind: "postgres", url });
      return url;
    }),
    dataDir: onceEach(async (owner) => {
      const dataDir = join(folder, owner.name);
      await fill(owner, { kind: "embedded", dataDir });
      return dataDir;
    }),
    emptyDatabase: once(() => createDatabase(postgres.url)),
    oidcEnv: {
      OIDC_ISSUER: provider.issuer,
      OIDC_JWKS_URL: provider.jwksUrl,
      OIDC_AUDIENCE: provider.audience,
      JWKS_ALLOWED_HOSTS: users.host,
      // One user sends all that is measured of users.
      DASHBOARD_REQUESTS_PER_MINUTE: "0",
    },
    userToken: () => provider.sign({ sub: "user_bench", tenant_id: keys.tenant }),
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function onceEach<T>(make: (owner: Owner) => Promise<T>): (owner: Owner) => Promise<T> {
  const made = new Map<Owner, Promise<T>>();
  return (owner) => {
    const earlier = made.get(owner) ?? make(owner);
    made.set(owner, earlier);
    return earlier;
  };
}

async function migrate(options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(options);
  try {
    await migrateToLatest(database);
  } finally {
    await database.close();
  }
}

/** Of `INFO cpu`, the server's own: its system and user time, all threads. */
function cpuSecondsOf(info: string): number {
  const seconds = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1]);
  return seconds("used_cpu_sys") + seconds("used_cpu_user");
}
