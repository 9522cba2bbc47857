import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Fleet, startFleet } from "../harness/fleet.ts";
import {
  checkOutPrevious,
  leaseOf,
  type PreviousVersion,
  revokeEverywhere,
} from "../leases-faults/previous-version.ts";

const TRIALS = 200;
const NONE = { stale: 0, staleMsMax: 0 };
const RECOVERY = { timeout: 20_000, interval: 200 };

let previous: PreviousVersion;
let fleet: Fleet;
beforeEach(async () => {
  previous = await checkOutPrevious();
});
afterEach(async () => {
  await fleet?.close();
  await previous?.remove();
});

describe("without Redis, replicas of the previous version", () => {
  test("beside newer ones see their changes, and the other way round", async () => {
    fleet = await startFleet("");
    const older = await fleet.start({}, previous.main);
    const newer = await fleet.start();
    expect(await revokeEverywhere(fleet, newer, [older, newer], TRIALS)).toEqual(NONE);
    expect(await revokeEverywhere(fleet, older, [older, newer], TRIALS)).toEqual(NONE);
    expect(await leaseOf(newer)).toBe(0);
    expect(await older.end("SIGTERM")).toBe(0);
    await expect.poll(() => leaseOf(newer), RECOVERY).toBe(1);
    expect(await revokeEverywhere(fleet, newer, [newer], TRIALS / 4)).toEqual(NONE);
  }, 300_000);
});

describe("a rollback", () => {
  test.each(["with", "without"])(
    "%s Redis: what is stale is so for less than 2 s after the first old replica",
    async (kind) => {
      fleet = await startFleet(kind === "with" ? inject("redisUrl") : "");
      const newer = await Promise.all([fleet.start(), fleet.start()]);
      await expect.poll(() => Promise.all(newer.map(leaseOf)), RECOVERY).toEqual([1, 1]);
      const older = await fleet.start({}, previous.main);
      const listeningMs = performance.now();
      const all = [older, ...newer];
      const [byOlder, byNewer] = await Promise.all([
        revokeEverywhere(fleet, older, all, 30, 500),
        revokeEverywhere(fleet, newer[0], all, 30, 500),
      ]);
      console.log(`${kind} Redis, from ${performance.now() - listeningMs} ms on:`, { byOlder, byNewer });
      await sleep(Math.max(0, listeningMs + 2_000 - performance.now()));
      expect(await Promise.all(newer.map(leaseOf))).toEqual([0, 0]);
      expect(await revokeEverywhere(fleet, older, all, TRIALS)).toEqual(NONE);
      expect(await revokeEverywhere(fleet, newer[0], all, TRIALS)).toEqual(NONE);
    },
    300_000,
  );
});
