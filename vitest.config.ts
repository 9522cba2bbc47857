import { defineConfig } from "vitest/config";
import { ONE_STORAGE, WITH_REDIS } from "./test/contract/one-storage.ts";
import { flakyReporter } from "./test/servers/flaky-reporter.ts";

const CONTRACT = ["test/contract/**/*.test.ts"];
/** Excluded on all storages but PostgreSQL. */
const ONCE = [...Object.keys(ONE_STORAGE).map((name) => `test/contract/${name}.test.ts`), "node_modules/**"];
/** Minutes of faults, for `npm run test:faults`, which also makes other tests run all their trials. */
const FAULTS = process.env.TEST_LONG === "1" ? [] : ["test/faults/**"];
/** Identity providers and tools that people run, for `npm run test:peers`. */
const PEERS = process.env.TEST_PEERS === "1" ? ["test/peers/**/*.test.ts"] : [];
/** More runs of each property, for `npm run test:properties`. */
const SETUP = process.env.PROPERTY_RUNS === undefined ? [] : ["test/harness/property-runs.ts"];
/** PostgreSQL and Redis, for the tests under `test`. The unit tests run without them. */
const SERVERS = ["test/servers/global-setup.ts"];

/**
 * The unit tests stand beside the source and start no server of ours and none of others. The contract is tested through
 * the real port on the embedded store and on PostgreSQL, but for what no storage can change; what concerns limits also with
 * Redis. The console is visited in a browser, on PostgreSQL with Redis. Everything else runs once.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: SETUP,
    // Twice the cores of the machine that runs them in CI: most files wait half of their time.
    maxWorkers: 4,
    maxConcurrency: 8,
    // CI's machine is shared, and a test of 21,000 that is late must not end the run. The output names it.
    retry: process.env.CI === "true" ? 1 : 0,
    reporters: [flakyReporter(), "default"],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["src/**/*.test.ts"], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...CONTRACT, ...FAULTS, "test/console/**", "test/peers/**", "node_modules/**"],
          globalSetup: SERVERS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "console",
          include: ["test/console/**/*.test.ts"],
          globalSetup: [...SERVERS, "test/servers/console-build.ts"],
          isolate: false,
          provide: { storage: "redis" },
        },
      },
      {
        extends: true,
        test: {
          name: "peers",
          include: PEERS,
          globalSetup: SERVERS,
          isolate: false,
          provide: { storage: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          name: "embedded",
          include: CONTRACT,
          exclude: ONCE,
          globalSetup: SERVERS,
          isolate: false,
          provide: { storage: "embedded" },
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: CONTRACT,
          globalSetup: SERVERS,
          isolate: false,
          provide: { storage: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          name: "redis",
          include: Object.keys(WITH_REDIS).map((name) => `test/contract/${name}.test.ts`),
          globalSetup: SERVERS,
          isolate: false,
          provide: { storage: "redis" },
        },
      },
    ],
  },
});
