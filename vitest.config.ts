import { defineConfig } from "vitest/config";

const CONTRACT = ["test/contract/**/*.test.ts"];

/** The contract is tested through the real port twice, once on each storage; everything else once. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ["test/servers/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "rules",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...CONTRACT, "test/faults/**", "node_modules/**"],
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
    ],
  },
});
