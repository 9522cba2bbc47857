import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import rateLimit from "@fastify/rate-limit";
import { fastify } from "fastify";
import { Redis } from "ioredis";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { pino } from "pino";

/**
 * What a competent team writes by hand in an afternoon: Fastify, the key by its SHA-256, `@fastify/rate-limit`. It reads
 * the product's own table. `STORE` says where keys are: `postgres` (read each time), `lru` (remembered for 10 s, so that
 * a revoked key goes on for so long) or `memory` (from a file; limits in process, too). With `ACCESS_LOG` it writes a line
 * for each answer, as Latchkey does.
 */

interface Oidc {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

interface Key {
  readonly key_id: string;
  readonly tenant_id: string;
  readonly permissions: readonly string[];
  readonly requests_per_minute: number;
  readonly oidc: Oidc | null;
  readonly expires_at: Date | null;
  readonly disabled_at: Date | null;
  readonly revoked_at: Date | null;
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Key | null;
    userId: string;
  }
}

const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 100_000;
/** As much as Latchkey gathers. */
const LOG_BYTES = 49_152;
const FIND_KEY = `
  select key_id, tenant_id, permissions, requests_per_minute, oidc, expires_at, disabled_at, revoked_at
  from api_keys where secret_hash = $1`;
const ANSWER = {
  type: "object",
  properties: {
    caller: { type: "string" },
    tenant_id: { type: "string" },
    key_id: { type: "string" },
    user_id: { type: "string" },
    permissions: { type: "array", items: { type: "string" } },
  },
};

const findKey = await keyFinder(process.env.STORE ?? "");
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
const app = fastify(process.env.ACCESS_LOG ? logging() : {});
app.decorateRequest("caller", null);
app.decorateRequest("userId", "");
app.addHook("onRequest", async (req, reply) => {
  const secret = req.headers["x-api-key"];
  const key = typeof secret === "string" ? await findKey(hash("sha256", secret, "buffer")) : undefined;
  if (key === undefined || key.disabled_at || key.revoked_at || isPast(key.expires_at)) {
    return reply.code(401).send({ denial_reason: "unauthorized" });
  }
  if (key.oidc !== null) req.userId = await userOf(req.headers.authorization ?? "", key.oidc);
  req.caller = key;
});
await app.register(rateLimit, {
  hook: "preHandler",
  timeWindow: 60_000,
  keyGenerator: (req) => req.caller?.key_id ?? "",
  max: (req) => req.caller?.requests_per_minute ?? 0,
  allowList: (req) => req.caller?.requests_per_minute === 0,
  // Its default, 5,000 keys, would forget the counts of the others.
  cache: REMEMBERED_MAX,
  ...(process.env.REDIS_URL && { redis: new Redis(process.env.REDIS_URL) }),
});
app.post("/api/v1/auth/verify", { schema: { response: { 200: ANSWER } } }, async ({ caller, userId }) => ({
  caller: "CALLER_SECRET_KEY",
  tenant_id: caller?.tenant_id,
  key_id: caller?.key_id,
  user_id: userId,
  permissions: caller?.permissions,
}));
app.get("/auth/check", async ({ caller }, reply) => {
  reply.header("X-Auth-Tenant-Id", caller?.tenant_id).header("X-Auth-Key-Id", caller?.key_id);
  reply.header("X-Auth-Permissions", caller?.permissions.join(" "));
  return reply.send();
});
if (process.env.ACCESS_LOG) {
  app.addHook("onResponse", async (req, reply) => {
    const { tenant_id, key_id } = req.caller ?? {};
    req.log.info({ status: reply.statusCode, tenant_id, key_id, duration_ms: reply.elapsedTime }, "request");
  });
}
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.once("SIGTERM", () => process.exit(0));

/** One line for each request instead of Fastify's two, and lines gathered: the way that pino recommends for speed. */
function logging() {
  const stream = pino.destination({ dest: 1, sync: false, minLength: LOG_BYTES, maxWrite: 2 * LOG_BYTES });
  return { loggerInstance: pino({ base: null }, stream), disableRequestLogging: true } as const;
}

type FindKey = (secretHash: Buffer) => Promise<Key | undefined>;

async function keyFinder(store: string): Promise<FindKey> {
  if (store === "memory") return fromFile(process.env.KEYS_FILE ?? "");
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const read: FindKey = async (secretHash) =>
    (await pool.query<Key>({ name: "find-key", text: FIND_KEY, values: [secretHash] })).rows[0];
  if (store === "postgres") return read;
  const remembered = new LRUCache<string, Key>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS });
  return async (secretHash) => {
    const id = secretHash.toString("latin1");
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const key = await read(secretHash);
    if (key !== undefined) remembered.set(id, key);
    return key;
  };
}

async function fromFile(file: string): Promise<FindKey> {
  const { secrets, limited, limit } = JSON.parse(await readFile(file, "utf8"));
  const keys = new Map<string, Key>();
  const add = (secret: string, requestsPerMinute: number) =>
    keys.set(hash("sha256", secret, "base64url"), {
      key_id: `key_${keys.size}`,
      tenant_id: "ten_bench",
      permissions: ["conversations:*"],
      requests_per_minute: requestsPerMinute,
      oidc: null,
      expires_at: null,
      disabled_at: null,
      revoked_at: null,
    });
  for (const secret of secrets) add(secret, Number.MAX_SAFE_INTEGER);
  for (const secret of limited) add(secret, limit);
  return async (secretHash) => keys.get(secretHash.toString("base64url"));
}

async function userOf(authorization: string, { issuer, jwksUrl, audience }: Oidc): Promise<string> {
  const keySet = keySets.get(jwksUrl) ?? createRemoteJWKSet(new URL(jwksUrl));
  keySets.set(jwksUrl, keySet);
  const { payload } = await jwtVerify(authorization.slice("Bearer ".length), keySet, { issuer, audience });
  return payload.sub ?? "";
}

function isPast(instant: Date | null): boolean {
  return instant !== null && instant.getTime() <= Date.now();
}
