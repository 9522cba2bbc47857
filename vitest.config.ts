import { availableParallelism } from "node:os";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ON_EMBEDDED, SLOW_ON_EMBEDDED } from "./test/contract/on-embedded.ts";
import { failOnUnheardErrors } from "./test/harness/unheard-errors.ts";
import { suiteTable } from "./test/peers/suite-table.ts";
import { SLOW_TESTS } from "./test/slow-tests.ts";

const CONTRACT = ["test/contract/**/*.test.ts"];
const CONSOLE = ["test/console/**/*.test.ts"];
const ALL_SLOW = Object.keys(SLOW_TESTS).map((name) => `test/${name}.test.ts`);
const SLOW_CONTRACT = ALL_SLOW.filter((path) => path.startsWith("test/contract/"));
const SLOW = ALL_SLOW.filter((path) => !SLOW_CONTRACT.includes(path));
const contractFiles = (listed: object) => Object.keys(listed).map((name) => `test/contract/${name}.test.ts`);
/** Minutes of faults, for `npm run test:faults`, which also makes other tests run all their trials. */
const FAULTS = ["test/faults/**/*.test.ts"];
/** Identity providers and tools that people run, for `npm run test:peers`. */
const PEERS = ["test/peers/**/*.test.ts"];
/** Artifacts of a release, made and installed, for `npm run test:release`. */
const RELEASE = ["test/release/**/*.test.ts"];
/** Few runs of each property, with one seed; many for `npm run test:properties`. */
const SETUP = ["test/harness/property-runs.ts"];
/** Counts and imports of the repository itself. */
const COUNTS = ["test/tools/{layers,prose,weight}.test.ts"];
/** PostgreSQL and Redis, for the tests under `test`. The unit tests run without them. */
const SERVERS = ["test/servers/global-setup.ts"];

// Debian keeps servers such as PgBouncer and nginx, and what its packages are installed with, where only root's PATH looks.
process.env.PATH = [process.env.PATH, "/usr/sbin", "/sbin"].join(delimiter);

/**
 * `npm test` runs what is quick: the unit tests beside the source, which start no server of ours and none of others; the contract
 * through the real port, on PostgreSQL with Redis and, where the storage matters, on the embedded store; everything else that
 * `SLOW_TESTS` does not list. `npm run test:all` also runs that list, in projects by their storage, and visits the console in a browser.
 */
export default defineConfig({
  // The package's entry is bundled of these sources (clients/typescript/build.mjs).
  resolve: {
    alias: { "@latchkey/client/edge": fileURLToPath(new URL("clients/typescript/src/edge/index.ts", import.meta.url)) },
  },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // How long a poll may take says nothing of the service: on a busy machine what takes a millisecond here takes seconds.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    setupFiles: SETUP,
    // Each worker imports the modules, compiles the schemas and starts the shared services anew.
    maxWorkers: availableParallelism(),
    maxConcurrency: 8,
    // One worker runs many files: starting one for each would take longer than most files do.
    isolate: false,
    reporters: ["default", suiteTable(), failOnUnheardErrors()],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["src/**/*.test.ts", ...COUNTS] },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...CONTRACT, ...CONSOLE, ...SLOW, ...FAULTS, ...PEERS, ...RELEASE, ...COUNTS],
          globalSetup: SERVERS,
          provide: { storage: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          name: "contract",
          include: CONTRACT,
          exclude: SLOW_CONTRACT,
          globalSetup: SERVERS,
          provide: { storage: "redis" },
        },
      },
      {
        extends: true,
        test: {
          name: "slow-contract",
          include: SLOW_CONTRACT,
          globalSetup: SERVERS,
          provide: { storage: "redis" },
        },
      },
      {
        extends: true,
        test: {
          name: "embedded",
          include: contractFiles(ON_EMBEDDED),
          globalSetup: SERVERS,
          provide: { storage: "embedded" },
        },
      },
      {
        extends: true,
        test: {
          name: "slow-embedded",
          include: contractFiles(SLOW_ON_EMBEDDED),
          globalSetup: SERVERS,
          provide: { storage: "embedded" },
        },
      },
      {
        extends: true,
        test: { name: "slow", include: SLOW, globalSetup: SERVERS },
      },
      {
        extends: true,
        test: {
          name: "console",
          include: CONSOLE,
          globalSetup: [...SERVERS, "test/servers/console-build.ts"],
          provide: { storage: "redis" },
          // Each look is a round trip through three processes.
          expect: { poll: { timeout: 60_000, interval: 100 } },
        },
      },
      {
        extends: true,
        test: { name: "faults", include: process.env.TEST_LONG === "1" ? FAULTS : [], globalSetup: SERVERS },
      },
      {
        extends: true,
        test: {
          name: "peers",
          include: process.env.TEST_PEERS === "1" ? PEERS : [],
          globalSetup: SERVERS,
          provide: { storage: "postgres" },
        },
      },
      {
        extends: true,
        test: { name: "release", include: process.env.TEST_RELEASE === "1" ? RELEASE : [] },
      },
    ],
  },
});
