import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce } from "../tools/on-demand/install.ts";
import type { Contestant } from "./contestants.ts";
import { LIMIT, NO_DENIAL_LIMIT } from "./keys.ts";
import { PATHS } from "./requests.ts";
import { RIVALS, type World } from "./world.ts";

/**
 * What others would use, in a package of its own: its 200 MB are only for runs of the benchmark, not for every
 * `npm ci` of the project.
 */

const FOLDER = fileURLToPath(new URL("rivals/", import.meta.url));
const NODE_20 = join(FOLDER, "node_modules/node/bin/node");
/** Node 20 runs no TypeScript by itself. */
const TSX = join(FOLDER, "node_modules/tsx/dist/loader.mjs");

export function installRivals(): Promise<void> {
  return installOnce(FOLDER);
}

/** Each looks up the key and then spends from the limit, where Latchkey does both in one round trip to Redis. */
const handWritten = {
  authenticates: true,
  replicas: 1,
  path: (question) => PATHS[question],
} satisfies Partial<Contestant>;

export const fastifyPostgres: Contestant = {
  ...handWritten,
  name: "Fastify, pg, Redis",
  does: "hand-written: key read from PostgreSQL by a prepared statement, @fastify/rate-limit on Redis",
  command: async (world) => ({
    args: [join(FOLDER, "fastify.ts")],
    env: { STORE: "postgres", DATABASE_URL: await world.database(RIVALS), REDIS_URL: world.redisUrl },
  }),
};

export const fastifyRemembering: Contestant = {
  ...handWritten,
  name: "Fastify, LRU, Redis",
  does: "the same, but a key is cached for 10 s, so a revoked one works for that long",
  command: async (world) => ({
    args: [join(FOLDER, "fastify.ts")],
    env: { STORE: "lru", DATABASE_URL: await world.database(RIVALS), REDIS_URL: world.redisUrl },
  }),
};

export const fastifyPostgresAlone = withoutRedis(fastifyPostgres, "Fastify, pg");
export const fastifyRememberingAlone = withoutRedis(fastifyRemembering, "Fastify, LRU");

/** For a comparison of equals: what logs with what logs, and what does not with what does not. */
export const fastifyLogging: Contestant = {
  ...fastifyRemembering,
  name: "Fastify, LRU, Redis, access log",
  does: "the same with a line of pino for each answer",
  command: async (world) => {
    const { args, env } = await fastifyRemembering.command(world);
    return { args, env: { ...env, ACCESS_LOG: "1" } };
  },
};

export const fastifyMemory: Contestant = {
  ...handWritten,
  name: "Fastify, in memory",
  does: "hand-written: keys in a Map, @fastify/rate-limit in process",
  command: async (world) => ({
    args: [join(FOLDER, "fastify.ts")],
    env: { STORE: "memory", KEYS_FILE: await keysFile(world) },
  }),
};

export const betterAuthRedis: Contestant = {
  ...handWritten,
  name: "better-auth, Redis",
  does: "verifyApiKey of its API-key plugin on node:http; keys and counts in Redis alone, updates deferred: its fastest mode",
  command: async (world) => seeded(world, { DATABASE_URL: await world.emptyDatabase(), REDIS_URL: world.redisUrl }),
};

export const betterAuthPostgres: Contestant = {
  ...handWritten,
  name: "better-auth, PostgreSQL",
  does: "the same with keys and counts in PostgreSQL",
  command: async (world) => seeded(world, { DATABASE_URL: await world.emptyDatabase() }),
};

/**
 * The same on Node 20, on which the targets were measured: others gained more from Node 24 than `node:http` did,
 * better-auth most of all.
 */
export function onNode20(contestant: Contestant): Contestant {
  return {
    ...contestant,
    name: `${contestant.name}, Node 20`,
    command: async (world) => {
      const { args, env } = await contestant.command(world);
      return { program: NODE_20, args: ["--import", TSX, ...args], env };
    },
  };
}

function withoutRedis(contestant: Contestant, name: string): Contestant {
  return {
    ...contestant,
    name,
    does: `${contestant.name} with its limits in process instead of Redis`,
    command: async (world) => {
      const { args, env } = await contestant.command(world);
      const { REDIS_URL: _left, ...others } = env;
      return { args, env: others };
    },
  };
}

const done = new WeakMap<World, Set<string>>();

/** Stores the keys as better-auth does, once in each world. */
async function seeded(world: World, env: Record<string, string>) {
  const KEYS_FILE = await keysFile(world);
  const stores = done.get(world) ?? new Set();
  done.set(world, stores);
  const store = Object.keys(env).join();
  if (!stores.has(store)) {
    const { status, stderr } = spawnSync(process.execPath, [join(FOLDER, "better-auth-seed.ts")], {
      env: { PATH: process.env.PATH, ...env, KEYS_FILE },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`better-auth's keys could not be stored: ${stderr}`);
    stores.add(store);
  }
  return { args: [join(FOLDER, "better-auth.ts")], env };
}

/** A file with the keys, for whoever does not read the product's tables. */
export async function keysFile(world: World): Promise<string> {
  const file = join(world.folder, "keys.json");
  const { secrets, limited } = world.keys;
  const { tableSize } = world;
  await writeFile(file, JSON.stringify({ secrets, limited, limit: LIMIT, noDenialLimit: NO_DENIAL_LIMIT, tableSize }));
  return file;
}
