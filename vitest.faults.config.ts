import { defineConfig } from "vitest/config";

/** What takes minutes: the service under kills and load. `npm test` has short forms of it. */
export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 60_000,
    globalSetup: ["test/servers/global-setup.ts"],
    fileParallelism: false,
    include: ["test/faults/**/*.test.ts"],
  },
});
