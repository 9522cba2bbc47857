import type { RedisServers } from "../config/settings.ts";
import { evictionProblem } from "../store/redis/eviction-policy.ts";
import { missingCommands, neededCommands } from "../store/redis/redis-commands.ts";
import {
  addressesOf,
  connectRedis,
  databaseOf,
  primariesOf,
  type RedisClient,
} from "../store/redis/redis-connection.ts";
import { withTimeout } from "../store/redis/redis-replies.ts";
import { type Finding, type Findings, reasonOf } from "./finding.ts";

/** The first version whose scripts can say that they write, see take.lua.ts. */
const MAJOR_MIN = 7;
const SUBJECT = "redis";

const ok = (text: string): Finding => ({ level: "ok", subject: SUBJECT, text });
const warning = (text: string): Finding => ({ level: "warning", subject: SUBJECT, text });
const problem = (text: string): Finding => ({ level: "problem", subject: SUBJECT, text });

/** Redis: reachable, its version, what it evicts, and what the user may do. It writes one key, which lives for a millisecond. */
export async function* checkRedis(servers: RedisServers): Findings {
  let lastError: Error | undefined;
  let redis: RedisClient;
  try {
    redis = await connectRedis(servers, (err) => {
      lastError = err;
    });
  } catch (err) {
    yield problem(reasonOf(err));
    return;
  }
  try {
    const needed = neededCommands(servers.kind, databaseOf(servers));
    const primaries = primariesOf(redis);
    if (primaries.length === 0) throw lastError ?? new Error("no node is known");
    for (const node of primaries) {
      const missing = await missingCommands(node, needed);
      for (const rule of missing)
        yield problem(`the user of REDIS_URL lacks ${rule}: see \`latchkey privileges redis\``);
      if (missing.length === 0) yield* checkNode(node);
    }
  } catch (err) {
    yield problem(`Redis at ${addressesOf(servers)} cannot be used: ${reasonOf(lastError ?? causeOf(err))}`);
  } finally {
    redis.disconnect();
  }
}

async function* checkNode(node: RedisClient): Findings {
  const info = await withTimeout(node.info("server"));
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? "unknown";
  const [major = ""] = version.split(".");
  yield Number(major) >= MAJOR_MIN
    ? ok(`version ${version} is reachable, and the user has all rights that it needs`)
    : problem(`version ${version} is older than ${MAJOR_MIN}: limits would count as not available`);
  const eviction = await evictionProblem(node);
  if (eviction !== undefined) yield warning(eviction);
}

/** What the driver said. Our own error for the callers of the API says nothing of it. */
function causeOf(err: unknown): unknown {
  return err instanceof Error && err.cause instanceof Error ? err.cause : err;
}
