import { load, machineFacts } from "../machine.ts";
import { startWorld } from "../world.ts";
import { following } from "./following.ts";
import { startEdgeHost } from "./service.ts";
import { verifications } from "./verifications.ts";

/**
 * `npm run bench:edge`: what a verification at an edge takes beside other ways to check a key, and what edges cost the replica that
 * they follow. `npm run bench:edge -- verifications`, or `following`: one of both alone.
 */

const PARTS = { verifications, following };
const ROUNDS = 7;
const only = process.argv[2];
if (only !== undefined && !(only in PARTS))
  throw new Error(`there is no part ${only}: ${Object.keys(PARTS).join(", ")}`);

process.setMaxListeners(100);
console.log(`${machineFacts()}; nothing is pinned`);
const world = await startWorld(1_000);
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (only !== undefined && name !== only) continue;
    const host = await startEdgeHost(world);
    try {
      const loadBefore = load();
      const tables = await part(world, host, ROUNDS);
      console.log(`\n## ${name}; load averages ${loadBefore} before, ${load()} after\n\n${tables}`);
    } finally {
      await host.stop();
    }
  }
} finally {
  await world.close();
}
