import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run. Each test file makes a database of its own on it. */
    postgresUrl: string;
    /** The Redis of this run, for whoever needs it neither killed nor empty. Keys' ids are unique, so nobody collides. */
    redisUrl: string;
    /** Whether tests that are trials run as many of them as it takes, rather than as few as fit into a minute. */
    longForm: boolean;
  }
}

/** Starts what the tests need once for the whole run; vitest calls what it answers at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  project.provide("postgresUrl", postgres.url);
  project.provide("redisUrl", redis.url);
  project.provide("longForm", process.env.TEST_LONG === "1");
  return async () => void (await Promise.all([postgres.stop(), redis.stop()]));
}
