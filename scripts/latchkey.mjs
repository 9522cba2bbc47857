#!/usr/bin/env -S node --max-semi-space-size=16 --no-parallel-scavenge --no-concurrent-array-buffer-sweeping
import { fileURLToPath } from "node:url";

// `npx latchkey` in a checkout: as `npm start`, it runs what was built, and builds it if need be.
const cwd = process.cwd();
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await import("./build.mjs");
process.chdir(cwd);
await import("../dist/latchkey.js");
