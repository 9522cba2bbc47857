import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { RedisServers } from "../../config/settings.ts";
import { createMemoryAdmission } from "../memory/memory-admission.ts";
import { createMemoryLimiter } from "../memory/memory-limiter.ts";
import { createSharedReads } from "../memory/shared-reads.ts";
import { type Breaker, createBreaker } from "../redis/breaker.ts";
import { type ChangeLogFollower, createChangeLogFollower, keepFollowing } from "../redis/change-log-follower.ts";
import { createRedisKeyInvalidation } from "../redis/key-invalidation.ts";
import { createCachedKeyRecords } from "../redis/key-records.ts";
import { createRedisAdmission } from "../redis/redis-admission.ts";
import { clockOfRedis } from "../redis/redis-clock.ts";
import {
  addressesOf,
  connectRedis,
  isSingle,
  nodeOf,
  openSecond,
  type RedisClient,
} from "../redis/redis-connection.ts";
import { createRedisLimiter } from "../redis/redis-limiter.ts";
import type { AdmissionBackend, AdmissionContext } from "./backend.ts";

/** Connects Redis, with this process as the fallback. */
export async function connectRedisBackend(servers: RedisServers, ctx: AdmissionContext): Promise<AdmissionBackend> {
  const { log, warn, metrics, clock, redisClock } = ctx;
  const limiter = createMemoryLimiter(clock);
  const outages = createOutageLog(servers, log);
  const redis = await connectRedis(servers, outages.onError);
  redis.on("ready", outages.onReady);
  // Sentinels replace a primary that they cannot reach, but others may. A cluster's primary stops when it is cut off.
  const hasReplicas = isSingle(redis) && servers.kind === "sentinel";
  const redisReplicas = hasReplicas ? { min: 1, redis: openSecond(redis, outages.onError) } : undefined;
  const breaker = createReportingBreaker(redis, log, metrics, outages);
  let follower: ChangeLogFollower | undefined;
  // Each node of a cluster has its own history, so a cluster is not followed: there only fresh entries are used.
  const following = redis.isCluster ? {} : { followed: () => follower?.followed() };
  const cachedKeys = createCachedKeyRecords(redis, {
    databaseId: await ctx.databaseId(),
    now: redisClock,
    ...following,
    ...(redisReplicas && { redisReplicas }),
    run: breaker.run,
  });
  const closing = new AbortController();
  const sharedLimiter = createRedisLimiter(redis, { now: redisClock });
  return {
    invalidation: createRedisKeyInvalidation(cachedKeys, {
      onWait: (err) => warn("a key change is waiting: the cached record could not be removed from Redis", err),
    }),
    keyClock: redisClock === undefined ? () => clockOfRedis(redis, cachedKeys, clock) : async () => redisClock,
    open(stored, changeLog) {
      const keys = createSharedReads(stored);
      if (!redis.isCluster) {
        follower = createChangeLogFollower(cachedKeys, changeLog);
        void keepFollowing(follower, { signal: closing.signal, onChange: reportFollowing });
      }
      const local = createMemoryAdmission({ keys, limiter, clock });
      return createRedisAdmission({ cachedKeys, breaker, keys, limiter: sharedLimiter, local });
    },
    close() {
      closing.abort();
      redis.disconnect();
      redisReplicas?.redis.disconnect();
    },
  };

  function reportFollowing(isFollowing: boolean, err: unknown): void {
    if (isFollowing) log.info("the key change log is followed again");
    else log.warn({ err }, "the key change log cannot be followed: keys are read from the database more often");
  }
}

interface OutageLog {
  readonly onError: (err: Error) => void;
  readonly onReady: () => void;
  /** Returns what is known of the cause when an outage begins. */
  readonly onAway: () => object;
  readonly onBack: () => void;
}

/** Most causes logged for one outage: connection lost, connection refused, password required, data loading. */
const CAUSES_MAX = 5;

/**
 * Logs why Redis is away, from the errors of its connections. Requests often detect an outage before a new connection
 * has failed. The log line about the outage then has no cause, or only that the last connection broke, so each later
 * cause is logged once, in its own line.
 */
function createOutageLog(servers: RedisServers, log: Logger): OutageLog {
  const addresses = addressesOf(servers);
  let connectionError: string | undefined;
  /** The causes logged in this outage; undefined while Redis is up. */
  let logged: Set<string | undefined> | undefined;
  return {
    onError({ message }) {
      connectionError = message;
      if (logged === undefined || logged.has(message) || logged.size > CAUSES_MAX) return;
      logged.add(message);
      log.error({ servers: addresses, connectionError }, "cannot connect to Redis");
    },
    onReady() {
      connectionError = undefined;
    },
    onAway() {
      logged ??= new Set();
      logged.add(connectionError);
      return { servers: addresses, connectionError };
    },
    onBack() {
      logged = undefined;
    },
  };
}

function createReportingBreaker(redis: RedisClient, log: Logger, metrics: Registry, outages: OutageLog): Breaker {
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
      if (allUp) outages.onBack();
      if (isUp) log.info({ node }, "Redis is back: limits are enforced over all replicas again");
      else log.error({ node, err, ...outages.onAway() }, "Redis is away: limits are enforced per replica");
    },
  });
  if (redis.status !== "ready") breaker.trip(new Error("Redis did not answer at the start."));
  return breaker;
}
