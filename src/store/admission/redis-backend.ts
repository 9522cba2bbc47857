import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { RedisServers } from "../../config/settings.ts";
import { createMemoryLimiter } from "../memory/limiter.ts";
import { createMemoryAdmission } from "../memory/memory-admission.ts";
import { createSharedReads } from "../memory/shared-reads.ts";
import { type Breaker, createBreaker } from "../redis/breaker.ts";
import { type ChangesFollower, createChangesFollower, keepFollowing } from "../redis/changes-follower.ts";
import { addressesOf, connectRedis, isSingle, nodeOf, openSecond, type RedisClient } from "../redis/connection.ts";
import { createRedisKeyCopies } from "../redis/key-invalidation.ts";
import { createCopies } from "../redis/key-records.ts";
import { createRedisLimiter } from "../redis/limiter.ts";
import { createRedisAdmission } from "../redis/redis-admission.ts";
import { clockOfRedis } from "../redis/redis-clock.ts";
import type { AdmissionBackend, AdmissionContext } from "./backend.ts";

/** Redis, with this process to fall back on. */
export async function connectRedisBackend(servers: RedisServers, ctx: AdmissionContext): Promise<AdmissionBackend> {
  const { log, warn, metrics, clock, redisClock } = ctx;
  const limiter = createMemoryLimiter(clock);
  const trouble = createTrouble(servers, log);
  const redis = await connectRedis(servers, trouble.onError);
  redis.on("ready", trouble.onReady);
  // Sentinels replace a primary that they cannot reach. A cluster's primary stops by itself when it is cut off.
  const hasFollowers = isSingle(redis) && servers.kind === "sentinel";
  const followers = hasFollowers ? { min: 1, redis: openSecond(redis, trouble.onError) } : undefined;
  const breaker = createReportingBreaker(redis, log, metrics, trouble);
  let follower: ChangesFollower | undefined;
  // Each node of a cluster has a history of its own: there copies are only ever young.
  const following = redis.isCluster ? {} : { followed: () => follower?.followed() };
  const copies = createCopies(redis, {
    databaseId: await ctx.databaseId(),
    now: redisClock,
    ...following,
    ...(followers && { followers }),
    run: breaker.run,
  });
  const closing = new AbortController();
  const shared = createRedisLimiter(redis, { now: redisClock });
  return {
    copies: createRedisKeyCopies(copies, {
      onWait: (err) => warn("a change of a key waits: Redis cannot be told of it", err),
    }),
    keyClock: redisClock === undefined ? () => clockOfRedis(redis, copies, clock) : async () => redisClock,
    open(stored, changes) {
      const keys = createSharedReads(stored);
      if (!redis.isCluster) {
        follower = createChangesFollower(copies, changes);
        void keepFollowing(follower, { signal: closing.signal, onChange: reportFollowing });
      }
      const local = createMemoryAdmission({ keys, limiter, clock });
      return createRedisAdmission({ copies, breaker, keys, limiter: shared, local });
    },
    close() {
      closing.abort();
      redis.disconnect();
      followers?.redis.disconnect();
    },
  };

  function reportFollowing(isFollowing: boolean, err: unknown): void {
    if (isFollowing) log.info("changes of keys are followed again");
    else log.warn({ err }, "changes of keys cannot be followed: each key is read more often");
  }
}

interface Trouble {
  readonly onError: (err: Error) => void;
  readonly onReady: () => void;
  /** What is known of the cause when Redis has gone away. */
  readonly onAway: () => object;
  readonly onBack: () => void;
}

/** Causes told of one absence: a connection breaks, none can be made, a new Redis asks for a password, it loads its data. */
const CAUSES_MAX = 5;

/**
 * Why Redis is away, as its connections say. Requests often find it away before a new connection has failed, and the line
 * about it has no cause then, or only that the last one broke: each cause that comes later has a line of its own, once.
 */
function createTrouble(servers: RedisServers, log: Logger): Trouble {
  const addresses = addressesOf(servers);
  let connectionError: string | undefined;
  /** Undefined: it is not away. */
  let told: Set<string | undefined> | undefined;
  return {
    onError({ message }) {
      connectionError = message;
      if (told === undefined || told.has(message) || told.size > CAUSES_MAX) return;
      told.add(message);
      log.error({ servers: addresses, connectionError }, "Redis cannot be connected to");
    },
    onReady() {
      connectionError = undefined;
    },
    onAway() {
      told ??= new Set();
      told.add(connectionError);
      return { servers: addresses, connectionError };
    },
    onBack() {
      told = undefined;
    },
  };
}

function createReportingBreaker(redis: RedisClient, log: Logger, metrics: Registry, trouble: Trouble): Breaker {
  const up = new Gauge({
    name: "latchkey_redis_up",
    help: "1 while keys and limits are kept in Redis, 0 while Redis, or a node of it, is away: keys come from the database, limits are per replica.",
    registers: [metrics],
  });
  up.set(1);
  const breaker = createBreaker({
    monotonicMs: () => performance.now(),
    nodeOf: (hashTag) => nodeOf(redis, hashTag),
    onChange({ node, isUp, allUp, cause: err }) {
      up.set(allUp ? 1 : 0);
      if (allUp) trouble.onBack();
      if (isUp) log.info({ node }, "Redis is back: limits are enforced over all replicas again");
      else log.error({ node, err, ...trouble.onAway() }, "Redis is away: limits are enforced per replica");
    },
  });
  if (redis.status !== "ready") breaker.trip(new Error("Redis did not answer at the start."));
  return breaker;
}
