import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, type ClusterOptions, Command, Redis, type RedisOptions } from "ioredis";
import type { RedisCredentials, RedisServers } from "../../config/settings.ts";
import { PrimaryConnector, ServerConnector } from "./connectors.ts";
import { closeWhenUnresponsive } from "./unresponsive-connection.ts";

/** How long a start waits for Redis at most. */
const START_MS = 2_000;
const CONNECT_MS = 500;

/**
 * Measured with these options: a command to a killed Redis fails within a millisecond, and the connection is back
 * within 250 ms after Redis. No command is sent twice, because a request that is spent twice makes the limit wrong. No
 * command is queued, except the first one to a node of a cluster, which waits for the connection within its time limit.
 */
const OPTIONS = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  sentinelCommandTimeout: CONNECT_MS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // A primary that became a replica keeps its connections, while its address may already lead to the new primary.
  reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 250),
  sentinelRetryStrategy: (attempt: number) => Math.min(50 * attempt, 250),
} as const satisfies RedisOptions;

const CLUSTER_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  clusterRetryStrategy: OPTIONS.retryStrategy,
  slotsRefreshTimeout: CONNECT_MS,
  // Follow a slot that has just moved. Do not wait for a node or a cluster that is down, and do not send again a
  // command without a reply; 0 means "never".
  maxRedirections: 4,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
} as const satisfies ClusterOptions;

/** A certificate is checked against the name, which ioredis would replace by an address. */
const KEEPS_NAMES: ClusterOptions = { dnsLookup: (name, done) => done(null, name) };

/** A client of one server, which sentinels may have named, or of a cluster. */
export type RedisClient = Redis | Cluster;

/** `host:port` of each server that `REDIS_URL` names, and the database after a slash, for people. */
export function addressesOf(servers: RedisServers): string {
  if (servers.kind === "single") {
    const { host, pathname } = new URL(servers.url);
    return `${host}${pathname === "/" ? "" : pathname}`;
  }
  return servers.nodes.map(({ host, port }) => `${host}:${port}`).join(",");
}

/** The database that `REDIS_URL` selects; 0 where it names none. */
export function databaseOf(servers: RedisServers): number {
  return servers.kind === "single" ? Number(new URL(servers.url).pathname.slice(1)) : 0;
}

/** The server, or the primaries of a cluster as far as they are known. */
export function primariesOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Redis ? [redis] : redis.nodes("master");
}

/**
 * Connects to Redis and waits 2 s at most. If Redis is away it does not throw: the client keeps trying, and commands
 * fail until it is connected. `onError` gets the error of each failed attempt. Throws an error that says what to do if
 * Redis does not let this user select the configured database, because a retry would not help.
 */
export async function connectRedis(
  servers: RedisServers,
  onError: (err: Error) => void = () => {},
): Promise<RedisClient> {
  const redis = createClient(servers);
  closeWhenUnresponsive(redis);
  let refusal: string | undefined;
  watch(redis, (err) => {
    refusal = lastingRefusal(err);
    onError(reasonOf(err));
  });
  // The error went to the listener above.
  const tried = connect(redis).catch(() => undefined);
  await Promise.race([tried, sleep(START_MS, undefined, { ref: false })]);
  if (refusal === undefined) return redis;
  redis.disconnect();
  throw new Error(refusal);
}

/**
 * From now on new connections of the client sign in with these credentials. ioredis reads them from the options of each
 * node when it connects.
 */
export function signInWith(redis: RedisClient, servers: RedisServers): void {
  const { username, password } = credentialsOf(servers);
  const credentials = { username, password };
  if (redis instanceof Redis) {
    const sentinels = servers.kind === "sentinel" ? servers.sentinelCredentials : {};
    Object.assign(redis.options, credentials, {
      sentinelUsername: sentinels.username,
      sentinelPassword: sentinels.password,
    });
    return;
  }
  if (!latestOf.has(redis)) redis.on("+node", (node) => void Object.assign(node.options, latestOf.get(redis)));
  latestOf.set(redis, credentials);
  for (const node of redis.nodes()) Object.assign(node.options, credentials);
}

/** For the nodes that a cluster will have. */
const latestOf = new WeakMap<Cluster, object>();

function credentialsOf(servers: RedisServers): RedisCredentials {
  if (servers.kind !== "single") return servers.credentials;
  const { username, password } = new URL(servers.url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}

/** Each failed attempt emits `error`. Without a listener that would end the process. */
function watch(redis: RedisClient, onError: (err: Error) => void): void {
  let isReplaced = false;
  redis.on("connecting", () => {
    isReplaced = false;
  });
  redis.on("error", (err: ReplyFailure) => {
    // The errors that follow from closing the connection say less than the one that made us close it.
    if (isReplaced && err.command === undefined) return;
    onError(err);
    if (!(redis instanceof Redis) || refusedSelect(err) === undefined) return;
    // ioredis would continue in database 0, without the limits of the other replicas. It emits this error
    // before it sends any of our commands, and after the disconnect it sends none.
    isReplaced = true;
    redis.disconnect(true);
  });
}

/** The database that Redis did not let us select; undefined for any other error. */
function refusedSelect(err: ReplyFailure): string | undefined {
  // Only a reply of Redis has the command. A lost connection has none, and is being replaced already.
  return err.command?.name === "select" ? String(err.command.args[0]) : undefined;
}

/**
 * What to do if Redis will not let us select the database later either. A busy Redis replies with other error codes.
 */
function lastingRefusal(err: ReplyFailure): string | undefined {
  const database = refusedSelect(err);
  if (database === undefined || !/^(ERR|NOPERM) /.test(err.message)) return undefined;
  return `REDIS_URL names database ${database}, which Redis refuses: name one that it has and that the user may SELECT, or none. A Redis Cluster has none but 0.`;
}

interface ReplyFailure extends Error {
  readonly command?: { readonly name: string; readonly args: readonly unknown[] };
}

/**
 * The client of a cluster only says that no node returned its slots. The reason, such as a wrong password, is in
 * `lastNodeError`.
 */
function reasonOf(err: Error): Error {
  return "lastNodeError" in err && err.lastNodeError instanceof Error ? err.lastNodeError : err;
}

async function connect(redis: RedisClient): Promise<void> {
  await redis.connect();
  if (redis instanceof Redis) return;
  // ioredis connects to a node at the first command for it, and fails a second command that comes before it is
  // connected.
  await Promise.allSettled(redis.nodes("master").map((node) => node.ping()));
}

/** Slots by hash tag: computing a slot costs more than the circuit breaker that needs it. */
const slots = new Map<string, number>();

/**
 * The node of a cluster that serves the hash tag, as `host:port`. Undefined if this is not a cluster, or the node is not
 * known yet. There are few hash tags.
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
      return new Redis(servers.url, { ...OPTIONS, Connector: ServerConnector });
    case "sentinel": {
      const { nodes, primary, credentials, sentinelCredentials, tls } = servers;
      return new Redis({
        ...OPTIONS,
        ...credentials,
        Connector: PrimaryConnector,
        sentinels: [...nodes],
        name: primary,
        ...(sentinelCredentials.username !== undefined && { sentinelUsername: sentinelCredentials.username }),
        ...(sentinelCredentials.password !== undefined && { sentinelPassword: sentinelCredentials.password }),
        ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
      });
    }
    case "cluster": {
      const { nodes, credentials, tls } = servers;
      const redisOptions = { ...OPTIONS, ...credentials, Connector: ServerConnector, ...(tls && { tls: {} }) };
      return new Cluster([...nodes], { ...CLUSTER_OPTIONS, ...(tls && KEEPS_NAMES), redisOptions });
    }
    default:
      return servers satisfies never;
  }
}
