import { defineConfig } from "vitest/config";

const CONTRACT = ["test/contract/**/*.test.ts"];
/** Minutes of faults, for `npm run test:faults`, which also makes other tests run all their trials. */
const FAULTS = process.env.TEST_LONG === "1" ? [] : ["test/faults/**"];
/** More runs of each property, for `npm run test:properties`. */
const SETUP = process.env.PROPERTY_RUNS === undefined ? [] : ["test/harness/property-runs.ts"];

/** The contract is tested through the real port three times, once on each storage; everything else once. */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: ["test/servers/global-setup.ts"],
    setupFiles: SETUP,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "rules",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...CONTRACT, ...FAULTS, "node_modules/**"],
        },
      },
      {
        extends: true,
        test: { name: "embedded", include: CONTRACT, isolate: false, provide: { storage: "embedded" } },
      },
      {
        extends: true,
        test: { name: "postgres", include: CONTRACT, isolate: false, provide: { storage: "postgres" } },
      },
      {
        extends: true,
        test: { name: "redis", include: CONTRACT, isolate: false, provide: { storage: "redis" } },
      },
    ],
  },
});
