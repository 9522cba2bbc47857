import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Fleet, startFleet } from "../harness/fleet.ts";
import { checkOutPrevious, leaseOf, type PreviousVersion, revokeEverywhere } from "./previous-version.ts";

const TRIALS = inject("longForm") ? 200 : 40;
const NONE = { stale: 0, staleMsMax: 0 };
/** An older version counts as there for 10 s after its last session was seen. */
const RECOVERY = { timeout: 20_000, interval: 200 };

let previous: PreviousVersion;
let fleet: Fleet;
beforeEach(async () => {
  previous = await checkOutPrevious();
  fleet = await startFleet(inject("redisUrl"));
});
afterEach(async () => {
  await fleet?.close();
  await previous?.remove();
});

describe("while replicas of the previous version run on the database", () => {
  test("changes bind on both versions, and no key is cached until the older one has gone", async () => {
    const older = await fleet.start({}, previous.main);
    const [newer, another] = await Promise.all([fleet.start(), fleet.start()]);
    const all = [older, newer, another];
    expect(await revokeEverywhere(fleet, newer, all, TRIALS)).toEqual(NONE);
    expect(await revokeEverywhere(fleet, older, all, TRIALS)).toEqual(NONE);
    expect(await Promise.all([newer, another].map(leaseOf))).toEqual([0, 0]);
    for (const { log } of [newer, another]) {
      expect(log().filter(({ msg }) => /^an older version runs on this database/.test(String(msg)))).toHaveLength(1);
    }
    expect(await older.end("SIGTERM")).toBe(0);
    await expect.poll(() => Promise.all([newer, another].map(leaseOf)), RECOVERY).toEqual([1, 1]);
    expect(await revokeEverywhere(fleet, newer, [newer, another], TRIALS / 4)).toEqual(NONE);
  }, 300_000);

  test("unlike where the newer one is not given the Redis of the older one", async () => {
    const older = await fleet.start({}, previous.main);
    const newer = await fleet.start({ REDIS_URL: "" });
    const { stale, staleMsMax } = await revokeEverywhere(fleet, newer, [older, newer], 8, 3_000);
    console.log(`without Redis: ${stale} of 8 keys, for up to ${staleMsMax.toFixed(0)} ms`);
    expect(stale).toBeGreaterThan(0);
  }, 120_000);
});
