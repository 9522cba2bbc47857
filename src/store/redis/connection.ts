import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, type ClusterOptions, Command, Redis, type RedisOptions } from "ioredis";
import type { RedisServers } from "../../config/settings.ts";
import { leaveSilent } from "./silent-connection.ts";

/** Longest time that a start waits for Redis. */
const START_MS = 2_000;
const CONNECT_MS = 500;

/**
 * Measured: with these a command against a killed Redis fails within a millisecond, and the connection is back within
 * 250 ms of Redis. No command is sent twice, since a request that is spent twice is a wrong limit; none is queued, but
 * for a first one to a node of a cluster, which waits for the connection within its time limit.
 */
const OPTIONS = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  sentinelCommandTimeout: CONNECT_MS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // A primary that became a replica keeps its connections, and its address may lead to the new primary by now.
  reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 250),
  sentinelRetryStrategy: (attempt: number) => Math.min(50 * attempt, 250),
} as const satisfies RedisOptions;

const CLUSTER_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  clusterRetryStrategy: OPTIONS.retryStrategy,
  slotsRefreshTimeout: CONNECT_MS,
  // A slot that has just moved is followed; a node or a cluster that is down is not waited for, and what a node did not
  // answer is not sent again. 0 is "never".
  maxRedirections: 4,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
} as const satisfies ClusterOptions;

/** A client of one server, which a sentinel may name, or of a cluster. */
export type RedisClient = Redis | Cluster;

/** Whether the client is one of a single server. */
export function isSingle(redis: RedisClient): redis is Redis {
  return redis instanceof Redis;
}

/** `host:port` of each server that `REDIS_URL` names, for the log. */
export function addressesOf(servers: RedisServers): string {
  if (servers.kind === "single") return new URL(servers.url).host;
  return servers.nodes.map(({ host, port }) => `${host}:${port}`).join(",");
}

/**
 * Connects to Redis. Never throws for one that is away and waits 2 s for it at most: it goes on trying, and commands fail
 * until it is there. `onError` is told why an attempt failed. Throws, and says what to do, for a database that is not ours
 * to select, since trying again would not help.
 */
export async function connectRedis(
  servers: RedisServers,
  onError: (err: Error) => void = () => {},
): Promise<RedisClient> {
  const redis = createClient(servers);
  leaveSilent(redis);
  let refusal: string | undefined;
  watch(redis, (err) => {
    refusal = lastingRefusal(err);
    onError(reasonOf(err));
  });
  // Why it failed, the listener was told.
  const tried = connect(redis).catch(() => undefined);
  await Promise.race([tried, sleep(START_MS, undefined, { ref: false })]);
  if (refusal === undefined) return redis;
  redis.disconnect();
  throw new Error(refusal);
}

/** Every failed attempt is an event, and an event nobody listens to ends the process. */
function watch(redis: RedisClient, onError: (err: Error) => void): void {
  let isGivenUp = false;
  redis.on("connecting", () => {
    isGivenUp = false;
  });
  redis.on("error", (err: ReplyFailure) => {
    // What follows from giving a connection up says less than why Redis made us do so.
    if (isGivenUp && err.command === undefined) return;
    onError(err);
    if (!(redis instanceof Redis) || refusedSelect(err) === undefined) return;
    // ioredis would go on in database 0, where nobody else's changes and limits are. It sends no command of ours before it
    // has told of this, and from here on the connection takes none.
    isGivenUp = true;
    redis.disconnect(true);
  });
}

/** The database that Redis did not let us select, if that is what the error says. */
function refusedSelect(err: ReplyFailure): string | undefined {
  // Only an answer of Redis has the command, not a connection that was lost: that one is being replaced already.
  return err.command?.name === "select" ? String(err.command.args[0]) : undefined;
}

/** What to do about a database that will not be ours later either. A Redis that is busy says something else than these. */
function lastingRefusal(err: ReplyFailure): string | undefined {
  const database = refusedSelect(err);
  if (database === undefined || !/^(ERR|NOPERM) /.test(err.message)) return undefined;
  return `REDIS_URL names database ${database}, which Redis refuses: name one that it has and that the user may SELECT, or none. A Redis Cluster has none but 0.`;
}

interface ReplyFailure extends Error {
  readonly command?: { readonly name: string; readonly args: readonly unknown[] };
}

/** A cluster only says that no node would tell its slots; why not, such as a wrong password, the last one said. */
function reasonOf(err: Error): Error {
  return "lastNodeError" in err && err.lastNodeError instanceof Error ? err.lastNodeError : err;
}

async function connect(redis: RedisClient): Promise<void> {
  await redis.connect();
  if (redis instanceof Redis) return;
  // ioredis connects to a node when a first command is for it, and fails a second one that comes before it is connected.
  await Promise.allSettled(redis.nodes("master").map((node) => node.ping()));
}

/** Another connection to the same Redis, for commands that hold up what comes behind them. It is not waited for. */
export function openSecond(redis: Redis, onError: (err: Error) => void): Redis {
  const second = redis.duplicate();
  leaveSilent(second);
  watch(second, onError);
  second.connect().catch(() => {});
  return second;
}

/** By hash tag: computing one costs more than the breaker that asks for it. */
const slots = new Map<string, number>();

/**
 * The node of a cluster that has the key, as `host:port`. Undefined: it is no cluster, or the node is not known yet.
 * Asked with hash tags, of which there are few.
 */
export function nodeOf(redis: RedisClient, hashTag: string): string | undefined {
  if (redis instanceof Redis) return undefined;
  let slot = slots.get(hashTag);
  if (slot === undefined) {
    slot = new Command("GET", [hashTag]).getSlot() ?? 0;
    slots.set(hashTag, slot);
  }
  return redis.slots[slot]?.[0];
}

function createClient(servers: RedisServers): RedisClient {
  switch (servers.kind) {
    case "single":
      return new Redis(servers.url, OPTIONS);
    case "sentinel": {
      const { nodes, primary, credentials } = servers;
      return new Redis({ ...OPTIONS, ...credentials, sentinels: [...nodes], name: primary });
    }
    case "cluster": {
      const { nodes, credentials } = servers;
      return new Cluster([...nodes], { ...CLUSTER_OPTIONS, redisOptions: { ...OPTIONS, ...credentials } });
    }
    default:
      return servers satisfies never;
  }
}
