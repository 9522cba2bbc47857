import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster, Redis } from "ioredis";
import { afterAll } from "vitest";
import { connectRedis } from "../../src/store/redis/redis-connection.ts";
import { eventually } from "../harness/eventually.ts";
import { redisAt } from "../harness/redis-servers.ts";

/** With characters that are encoded in a URL, and must be decoded. */
export const PASSWORD = "s3cret:p@ss/w%rd";
/** The longest time a start may wait for an unavailable Redis: far above every limit of the connection. */
const START_MS = 5_000;
/** How long a busy machine may need to reconnect. */
export const RECOVERY_MS = 15_000;

type Client = Redis | Cluster;

/** Servers and connections of a test file, which end after all its tests: most of them run at once and mostly wait. */
export function createRedisClients() {
  const cleanUps: (() => unknown)[] = [];
  async function connected(url: string): Promise<Client> {
    const client = await within(START_MS, connectRedis(redisAt(url)));
    cleanUps.push(() => client.disconnect());
    return client;
  }
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  return {
    cleanUps,
    kept<T extends { stop(): Promise<void> }>(server: T): T {
      cleanUps.push(() => server.stop());
      return server;
    },
    /** Perhaps not yet: a start waits for 2 s at most. */
    connected,
    /** To a server that is there, however busy the machine is. */
    async working(url: string): Promise<Client> {
      const client = await connected(url);
      await eventually(() => client.ping());
      return client;
    },
  };
}

export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = sleep(ms, undefined, { signal: timeout.signal }).then(() => {
    throw new Error(`not done within ${ms} ms`);
  });
  late.catch(() => {});
  return Promise.race([promise, late]).finally(() => timeout.abort());
}
