import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { program } from "../../tools/on-demand/packages.ts";
import { type EmbeddedTemplate, makeEmbeddedTemplate } from "./embedded-template.ts";
import { createServingDatabase, type ServingDatabase } from "./least-privilege.ts";
import { dropDatabase, type PostgresServer, startPostgres } from "./postgres.ts";
import { type RedisServer, startRedis } from "./redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run. Each test file makes a database of its own on it. */
    postgresUrl: string;
    /** The folder of that server's Unix socket, or empty. */
    postgresSocket: string;
    /** A migrated database to copy, on `postgresUrl`. */
    servingTemplate: ServingDatabase;
    /** The Redis of this run, for tests that need it neither killed nor empty. Keys' ids are unique, so none collide. */
    redisUrl: string;
    /** A DATA_DIR to copy, instead of having initdb and the migrations make one for each test. */
    embeddedTemplate: string;
    /** Whether tests that are trials run as many of them as it takes, rather than as few as fit into a minute. */
    longForm: boolean;
  }
}

interface Shared {
  users: number;
  readonly started: Promise<readonly [Postgres, RedisServer, EmbeddedTemplate, ...unknown[]]>;
}

interface Postgres {
  readonly server: PostgresServer;
  readonly template: ServingDatabase;
}

/** Vitest loads this module once for each project. They share the servers of the run. */
const run: typeof globalThis & { latchkeyServers?: Shared | undefined } = globalThis;

/** Starts what the tests need once for the whole run; vitest calls the function that it returns at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.latchkeyServers ??= {
    users: 0,
    // Tests that compile protos need buf, whose first installation is not for their time limits.
    started: Promise.all([startMigrated(), startRedis(), makeEmbeddedTemplate(), build(), program("buf")]),
  };
  const shared = run.latchkeyServers;
  shared.users++;
  const [{ server, template: servingTemplate }, redis, template] = await shared.started;
  project.provide("postgresUrl", server.url);
  project.provide("postgresSocket", server.socketFolder);
  project.provide("servingTemplate", servingTemplate);
  project.provide("redisUrl", redis.url);
  project.provide("embeddedTemplate", template.dataDir);
  project.provide("longForm", process.env.TEST_LONG === "1");
  return async () => {
    if (--shared.users > 0) return;
    run.latchkeyServers = undefined;
    await dropDatabase(server.url, servingTemplate.adminUrl);
    await Promise.all([server.stop(), redis.stop(), template.remove()]);
  };
}

async function startMigrated(): Promise<Postgres> {
  // Once a minute it would visit each of the hundreds of databases that a run makes.
  const server = await startPostgres({ autovacuum: "off" });
  return { server, template: await createServingDatabase(server.url) };
}

/** Makes what `npm start` runs, for the tests that start processes of the service. Nothing is built if the sources have not changed. */
async function build(): Promise<void> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"], { cwd });
}
