import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { RedisServers } from "../../config/settings.ts";
import { isUnlimited } from "../../domain/limits/budget.ts";
import type { RateLimit } from "../../domain/limits/caps.ts";
import { type Limiter, NEVER_GIVEN_BACK } from "../../domain/limits/limiter.ts";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { type Breaker, createBreaker } from "../redis/breaker.ts";
import { evictionProblem } from "../redis/eviction-policy.ts";
import { keepText } from "../redis/kept-text.ts";
import { createOutageLog, type OutageLog } from "../redis/outage-log.ts";
import { addressesOf, connectRedis, nodeOf, type RedisClient, signInWith } from "../redis/redis-connection.ts";
import { readRedisIdentity } from "../redis/redis-identity.ts";
import { reportRedisMemory } from "../redis/redis-memory.ts";
import { historyName } from "../redis/redis-names.ts";
import { ignoreOutage } from "../redis/redis-replies.ts";
import type { ConnectedLimiter, LimiterContext } from "./connected-limiter.ts";
import { createMemoryLimiter } from "./memory-limiter.ts";
import { createRedisLimiter, type RedisLimiter } from "./redis-limiter.ts";

/** How often Redis is tried without requests, so that the metric and the log say in time when it is away or back. */
const PROBE_MS = 1_000;
const CALL_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const PROBE_LIMIT: RateLimit = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };

/** Connects Redis. Resolves whether it answers or not. */
export async function connectSharedLimiter(servers: RedisServers, ctx: LimiterContext): Promise<ConnectedLimiter> {
  const { log, error, warn, metrics, clock, redisClock, redisTimeoutMs: timeoutMs, probeMs = PROBE_MS } = ctx;
  const addresses = addressesOf(servers);
  const outages = createOutageLog({ log, error, servers: addresses, monotonicMs: () => performance.now() });
  const redis = await connectRedis(servers, outages.failed);
  if (redis.status === "ready") outages.connected();
  redis.on("ready", outages.connected);
  warnOfEvictions(redis, warn);
  const { breaker, isShared } = createReportingBreaker(redis, outages, metrics);
  const shared = createRedisLimiter(redis, { now: redisClock, run: timed(breaker.run, metrics), timeoutMs });
  const memory = reportRedisMemory(redis, metrics);
  const probe = setInterval(() => {
    // The breaker has counted an outage. Whatever else fails here fails requests, too, which report it.
    shared.take("probe", PROBE_LIMIT).catch(() => undefined);
  }, probeMs);
  return {
    limiter: withFallback(shared, createMemoryLimiter(clock)),
    ofDashboardUsers: withFallback(shared, createMemoryLimiter(clock)),
    isShared,
    readIdentity: () => readRedisIdentity(redis),
    keepHistory: (database) => keepText(redis, historyName(database), timeoutMs),
    servers: addresses,
    signInWith: (latest) => signInWith(redis, latest),
    close() {
      clearInterval(probe);
      memory.close();
      outages.close();
      redis.disconnect();
    },
  };
}

/**
 * While Redis is away, each replica limits on its own, starting with a full budget. Each may then admit a key's limit once
 * more, but no key is ever unlimited.
 *
 * A slice that is taken then counts only in this replica's memory, and its unspent part is lost: another replica may
 * be asked to take it back, and Redis, which has not counted it, would admit too many.  Requests that should be given back while Redis
 * is away stay counted, too.
 */
function withFallback(shared: RedisLimiter, own: Limiter): Limiter {
  // A request without a limit has nothing to share.
  return {
    take(budgetId, limit, spending) {
      const isLimited = !isUnlimited(limit) || (spending?.user !== undefined && limit.perUser !== undefined);
      if (!isLimited) return own.take(budgetId, limit, spending);
      return shared.take(budgetId, limit, spending).catch((err: unknown) => {
        ignoreOutage(err);
        return own.take(budgetId, limit, spending);
      });
    },
    async peek(budgetId, limit, spending) {
      if (isUnlimited(limit)) return own.peek(budgetId, limit, spending);
      return shared.peek(budgetId, limit, spending).catch((err: unknown) => {
        ignoreOutage(err);
        return own.peek(budgetId, limit, spending);
      });
    },
    async slice(budgetId, limit, ask) {
      if (isUnlimited(limit)) return own.slice(budgetId, limit, ask);
      return shared.slice(budgetId, limit, ask).catch(async (err: unknown) => {
        ignoreOutage(err);
        return { ...(await own.slice(budgetId, limit, ask)), takenAtMs: NEVER_GIVEN_BACK };
      });
    },
    giveBack: (budgetId, limit, slice) => shared.giveBack(budgetId, limit, slice).catch(ignoreOutage),
  };
}

/** Measures the calls that are sent. Those that the breaker rejects would hide how long Redis takes. */
function timed(run: Breaker["run"], metrics: Registry): Breaker["run"] {
  const durations = new Histogram({
    name: "latchkey_redis_call_duration_seconds",
    help: "How long calls of Redis took, each for up to eight requests, also those that failed.",
    buckets: CALL_SECONDS,
    registers: [metrics],
  });
  const failures = new Counter({
    name: "latchkey_redis_failed_calls_total",
    help: "Calls of Redis that failed, or had no reply within REDIS_TIMEOUT_MS: their requests were limited only by this replica.",
    registers: [metrics],
  });
  return (hashTag, command) =>
    run(hashTag, async () => {
      const startedAt = performance.now();
      try {
        return await command();
      } catch (err) {
        if (err instanceof StoreUnavailable) failures.inc();
        throw err;
      } finally {
        durations.observe((performance.now() - startedAt) / 1_000);
      }
    });
}

/** Now, and whenever a connection is ready again, which may be that of another server. */
function warnOfEvictions(redis: RedisClient, warn: ReportError): void {
  const check = async (): Promise<void> => {
    // An outage is reported by its own lines. A user who may not run INFO is not warned.
    const problem = await evictionProblem(redis).catch(() => undefined);
    if (problem !== undefined) warn(problem, undefined);
  };
  redis.on("ready", check);
  void check();
}

function createReportingBreaker(
  redis: RedisClient,
  outages: OutageLog,
  metrics: Registry,
): { readonly breaker: Breaker; readonly isShared: () => boolean } {
  let isShared = true;
  const up = new Gauge({
    name: "latchkey_redis_up",
    help: "1 while limits are kept in Redis, 0 while Redis, or a node of it, is away: limits are per replica.",
    registers: [metrics],
  });
  up.set(1);
  const breaker = createBreaker({
    monotonicMs: () => performance.now(),
    nodeOf: (hashTag) => nodeOf(redis, hashTag),
    onChange(change) {
      isShared = change.allUp;
      up.set(change.allUp ? 1 : 0);
      outages.changed(change);
    },
  });
  if (redis.status !== "ready") breaker.trip(new Error("Redis did not answer at the start."));
  return { breaker, isShared: () => isShared };
}
