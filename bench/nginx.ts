import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { hashSecret } from "../src/domain/credentials/secret.ts";
import { newId } from "../src/domain/vocabulary/ids.ts";
import { ensureInstalled } from "../test/servers/debian.ts";
import type { Contestant } from "./contestants.ts";
import { LIMIT, NO_DENIAL_LIMIT } from "./keys.ts";
import { PATHS } from "./requests.ts";
import { keysFile } from "./rivals.ts";
import type { World } from "./world.ts";

/** nginx with Lua, as Debian packages it: see `rivals/nginx/verify.lua` for what it does. */

const START = fileURLToPath(new URL("rivals/nginx/start.sh", import.meta.url));
const MODULES = "/usr/lib/nginx/modules";
const LUA = "/usr/share/lua/5.1";
const FILES = [`${MODULES}/ngx_http_lua_module.so`, `${LUA}/nginx/redis.lua`, `${LUA}/cjson/util.lua`];
const KEYS_PER_COMMAND = 1_000;

export const nginxRedis: Contestant = {
  name: "nginx, Lua, Redis",
  does: "hand-written: key records in Redis, cached for 10 s, so a revoked one works for that long; limits by one EVALSHA",
  authenticates: true,
  replicas: 1,
  prepare,
  async command(world) {
    await storeRecords(world);
    const { hostname, port } = new URL(world.redisUrl);
    return onNginx(world, { STORE: "redis", REDIS_HOST: hostname, REDIS_PORT: port || "6379" });
  },
  path: (question) => PATHS[question],
};

export const nginxMemory: Contestant = {
  ...nginxRedis,
  name: "nginx, Lua, in memory",
  does: "hand-written: keys in a table, limits in a shared dictionary of the process",
  command: async (world) => onNginx(world, { STORE: "memory", KEYS_FILE: await keysFile(world) }),
};

export const nginxReplicas: Contestant = {
  ...nginxRedis,
  name: "nginx, Lua, two processes",
  does: "two of nginx, Lua, Redis, sharing the servers' core",
  replicas: 2,
};

function prepare(): Promise<void> {
  return ensureInstalled({
    package: "libnginx-mod-http-lua lua-nginx-redis lua-cjson",
    isInstalled: async () => FILES.every((file) => existsSync(file)),
    advice: "it needs Debian's packages libnginx-mod-http-lua, lua-nginx-redis and lua-cjson",
  });
}

function onNginx(world: World, env: Record<string, string>) {
  return { program: "sh", args: [START], env: { FOLDER: world.folder, MODULES, ...env } };
}

const done = new WeakSet<World>();

/** Once in each world. */
async function storeRecords(world: World): Promise<void> {
  if (done.has(world)) return;
  done.add(world);
  const { secrets, limited, unlimited, tenant } = world.keys;
  const records = [
    ...secrets.map((secret) => [secret, NO_DENIAL_LIMIT] as const),
    ...limited.map((secret) => [secret, LIMIT] as const),
    ...unlimited.map((secret) => [secret, 0] as const),
  ].flatMap(([secret, requests_per_minute]) => [
    `latchkey-bench:nginx:key:${hashSecret(secret)}`,
    JSON.stringify({ key_id: newId("key"), tenant_id: tenant, permissions: ["conversations:*"], requests_per_minute }),
  ]);
  const redis = new Redis(world.redisUrl);
  try {
    for (let n = 0; n < records.length; n += 2 * KEYS_PER_COMMAND) {
      await redis.mset(...records.slice(n, n + 2 * KEYS_PER_COMMAND));
    }
  } finally {
    redis.disconnect();
  }
}
