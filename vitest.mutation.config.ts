import { defineConfig } from "vitest/config";

/** The tests that Stryker runs: the unit tests of what it mutates. It takes a configuration file and no project. */
export default defineConfig({
  test: { include: ["src/domain/**/*.test.ts", "src/interceptors/**/*.test.ts"], testTimeout: 120_000 },
});
