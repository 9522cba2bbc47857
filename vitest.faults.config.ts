import { defineConfig } from "vitest/config";

/** The long forms, minutes each, by `npm run test:faults`. `npm test` runs a short form of each. */
export default defineConfig({
  test: {
    name: "faults",
    include: ["test/faults/**/*.test.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
    globalSetup: ["test/servers/global-setup.ts"],
    // They load the machine by themselves.
    maxWorkers: 1,
    fileParallelism: false,
  },
});
