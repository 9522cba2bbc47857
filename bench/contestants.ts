import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PATHS, type Question } from "./requests.ts";
import type { ServerCommand } from "./server.ts";
import { bearer, issueTokens, TOKENS_ENV } from "./tokens.ts";
import { LATCHKEY, type World } from "./world.ts";

/** A server to measure: ours, or one to compare it with. */
export interface Contestant {
  readonly name: string;
  /** What it does for its answer, for the table's legend. */
  readonly does: string;
  /** False: it admits every request, and shows the cost of the transport. */
  readonly authenticates: boolean;
  readonly isLatchkey?: true;
  /** Processes on the same storage. */
  readonly replicas: number;
  /** Secret keys of its requests. Default: all that are in use. */
  readonly keysInUse?: number;
  /** Whether it reports how long its round trips to Redis took. */
  readonly reportsRoundTrips?: true;
  /** What its requests send in place of the scenario's keys. Default: the keys. */
  inPlaceOfKeys?(world: World, keys: readonly string[]): Promise<Record<string, string>[]>;
  /** Installs or builds what it needs. Throws a sentence if that fails, and it is left out. */
  prepare?(): Promise<void>;
  command(world: World): Promise<ServerCommand>;
  /** Where it answers a question. */
  path(question: Question): string;
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** As `npm start` runs it: its flags for V8 are part of what is measured. */
const START = startArguments(file(".."));
const usualPath = (question: Question) => PATHS[question];

export const bareHttp: Contestant = {
  name: "node:http",
  does: "a constant answer; the floor",
  authenticates: false,
  replicas: 1,
  command: async () => ({ args: [file("baseline/bare-http.ts")], env: {} }),
  path: usualPath,
};

export const redisHttp: Contestant = {
  ...bareHttp,
  name: "node:http, Redis",
  does: "a constant answer after one INCR in Redis",
  reportsRoundTrips: true,
  command: async (world) => ({ args: [file("baseline/redis-http.ts")], env: { REDIS_URL: world.redisUrl } }),
};

export const stockConnect: Contestant = {
  name: "connectNodeAdapter",
  does: "the Verify RPC on Connect's own Node adapter, without any check",
  authenticates: false,
  replicas: 1,
  command: async () => ({ args: [file("baseline/stock-connect.ts")], env: {} }),
  path: () => "/latchkey.v1.AuthService/Verify",
};

/** The upper bound by the signature of a user's token alone. It does not authenticate: it looks up no key. */
function tokenCheck(check: "jose" | "crypto", does: string): Contestant {
  return {
    ...bareHttp,
    does,
    name: check === "jose" ? "node:http, jose" : "node:http, crypto",
    command: async (world) => ({
      args: [file("baseline/token-check.ts")],
      env: { CHECK: check, JWKS_URL: world.users.oidc.jwksUrl },
    }),
  };
}

export const tokenCheckByJose = tokenCheck("jose", "the constant answer after jose's jwtVerify of the token");
export const tokenCheckByCrypto = tokenCheck("crypto", "the same after one synchronous crypto.verify");

/** As `npm start` runs it. */
export const latchkeyEmbedded: Contestant = {
  name: "Latchkey, embedded",
  isLatchkey: true,
  does: "keys in PGlite, cached in process, limits in process",
  authenticates: true,
  replicas: 1,
  command: async (world) => ({ args: START, env: { ...world.oidcEnv, DATA_DIR: await world.dataDir(LATCHKEY) } }),
  path: usualPath,
};

export const latchkeyRedis: Contestant = {
  name: "Latchkey, PostgreSQL + Redis",
  isLatchkey: true,
  does: "key records cached in process under a lease, limits in Redis",
  authenticates: true,
  replicas: 1,
  command: async (world) => ({
    args: START,
    env: { ...world.oidcEnv, DATABASE_URL: await world.database(LATCHKEY), REDIS_URL: world.redisUrl },
  }),
  path: usualPath,
};

/** What a token in place of its key costs. */
export const latchkeyTokens: Contestant = {
  ...latchkeyRedis,
  name: "Latchkey, PostgreSQL + Redis, tokens",
  does: "the same, asked with a token that stands for the key",
  command: async (world) => {
    const { args, env } = await latchkeyRedis.command(world);
    return { args, env: { ...env, ...TOKENS_ENV } };
  },
  inPlaceOfKeys: async (world, keys) => (await issueTokens(await world.database(LATCHKEY), keys)).map(bearer),
};

/** Each replica limits on its own: what is left where there is no Redis. */
export const latchkeyPostgres: Contestant = {
  ...latchkeyRedis,
  name: "Latchkey, PostgreSQL",
  does: "key records cached in process under a lease, limits in process",
  command: async (world) => ({ args: START, env: { ...world.oidcEnv, DATABASE_URL: await world.database(LATCHKEY) } }),
};

/** Shows the cost of the access log, which the others do not write. */
export const latchkeyRedisQuiet: Contestant = {
  ...latchkeyRedis,
  name: "Latchkey, no access log",
  does: "the same with LOG_LEVEL=warn",
  command: async (world) => {
    const { args, env } = await latchkeyRedis.command(world);
    return { args, env: { ...env, LOG_LEVEL: "warn" } };
  },
};

export const latchkeyReplicas: Contestant = {
  ...latchkeyRedis,
  name: "Latchkey, two replicas",
  does: "two processes on one PostgreSQL and one Redis, sharing the servers' core",
  replicas: 2,
};

/** Arguments of `node` that start the program which was built in a folder, as its `npm start` does. */
export function startArguments(folder: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts: { start: string } };
  return [...scripts.start.split(" ").slice(2, -1), join(folder, "dist/main.js")];
}

/** The same contestant with requests of so many keys only. */
export function withKeysInUse(contestant: Contestant, keysInUse: number): Contestant {
  return { ...contestant, name: `${contestant.name}, ${keysInUse.toLocaleString("en")} keys`, keysInUse };
}
