import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateSigningKey, startIdentityProvider } from "../src/dev/identity-provider.ts";
import { createDatabase, startPostgres } from "../test/servers/postgres.ts";
import { startRedis } from "../test/servers/redis.ts";
import { type BenchKeys, makeKeys, storeKeys } from "./keys.ts";
import { startUsers, type Users } from "./users.ts";

/** Everything around the measured servers: databases, identity providers, keys. */
export interface World {
  readonly tableSize: number;
  readonly keys: BenchKeys;
  readonly users: Users;
  readonly redisUrl: string;
  /** Removed at the end. */
  readonly folder: string;
  /** The product's PostgreSQL database with the keys in it, filled at the first call. */
  database(): Promise<string>;
  /** The product's embedded database with the same keys, filled at the first call. */
  dataDir(): Promise<string>;
  /** An empty PostgreSQL database on the same server, made at the first call. */
  emptyDatabase(): Promise<string>;
  /** Environment of the product's identity providers. */
  readonly oidcEnv: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startWorld(tableSize: number): Promise<World> {
  const closers: (() => Promise<unknown>)[] = [];
  const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"));
  // Also when the run is interrupted: an embedded database is a hundred megabytes.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const keys = makeKeys(tableSize);
  const users = await startUsers();
  const provider = await startIdentityProvider(await generateSigningKey());
  closers.push(users.close, provider.close);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  closers.push(postgres.stop, redis.stop);
  return {
    tableSize,
    keys,
    users,
    redisUrl: redis.url,
    folder,
    database: once(async () => {
      const url = await createDatabase(postgres.url);
      await storeKeys({ kind: "postgres", url }, keys, tableSize, users.oidc);
      return url;
    }),
    dataDir: once(async () => {
      const dataDir = join(folder, "data");
      await storeKeys({ kind: "embedded", dataDir }, keys, tableSize, users.oidc);
      return dataDir;
    }),
    emptyDatabase: once(() => createDatabase(postgres.url)),
    oidcEnv: {
      OIDC_ISSUER: provider.issuer,
      OIDC_JWKS_URL: provider.jwksUrl,
      OIDC_AUDIENCE: provider.audience,
      JWKS_ALLOWED_HOSTS: users.host,
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
