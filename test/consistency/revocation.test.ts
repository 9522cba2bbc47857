// promise: keys.bind
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import type { ProtocolName } from "./protocols.ts";
import type { StoresOptions } from "./stores.ts";
import { type Ending, type Found, RARE_LOOKS, runTrials } from "./trials.ts";

/** `npm run test:faults` runs the long form. */
const TRIALS = inject("longForm") ? 5_000 : 300;
/** Of the arrangements with less to go wrong. */
const OTHER_TRIALS = TRIALS / 5;
/** Controls end with their first failure. They have this many trials for it. */
const CONTROL_TRIALS = 400;
const DISTURBANCES = { readDelayMs: 24, stepDelayMs: 4, evictions: 0.1 };
/** Without evictions, which end the effect of most mistakes within some ms. */
const LASTING = { ...DISTURBANCES, evictions: 0 };
/** So that a change at any time comes between some read and the moment at which it is cached. */
const SLOW_READS = { ...LASTING, readDelayMs: 1_000 };
/** No change waits until its mark was seen, as if all replicas were too slow for it. */
const HASTY = { mark: 0 };
/** Half of the trials revoke a key, and half of them suspend its tenant. */
const BOTH: readonly Ending[] = ["revoke", "suspend"];

let database: SharedDatabase;

// For each test its own, because changes wait for the replicas of other tests, too.
beforeEach(async () => {
  database = await openSharedDatabase();
});

afterEach(() => database.close());

// threat: R1
describe("a revocation, and a suspension of the key's tenant, binds on all replicas before it is acknowledged, and is never seen on one and then not on another", () => {
  test.each([
    ["three replicas, woken by notifications", 3, true, TRIALS],
    ["three replicas that only poll", 3, false, OTHER_TRIALS],
    ["two replicas, woken by notifications", 2, true, OTHER_TRIALS],
    ["two replicas that only poll", 2, false, OTHER_TRIALS],
  ])(
    "%s",
    async (_, count, listens, trials) => {
      const start = () => database.start({ ...DISTURBANCES, listens });
      const [first, ...others] = await Promise.all([start(), ...Array.from({ length: count - 1 }, start)]);
      const found = await runTrials({ trials, keys: database.keys, replicas: [first, ...others], endings: BOTH });
      expect(found).toMatchObject({ right: 0, back: 0, trials });
      // Otherwise these were no trials.
      expect(found.verifications).toBeGreaterThan(10 * trials);
    },
    1_200_000,
  );

  // That it binds on one replica after the other is shown by `lease.test.ts`, where one of them is held back.
  test("a change that no replica had time to prepare for binds then, too", async () => {
    const start = () => database.start({ ...LASTING, listens: false, times: HASTY });
    const replicas = await Promise.all([start(), start(), start()]);
    const found = await runTrials({ trials: OTHER_TRIALS, keys: database.keys, replicas, endings: BOTH });
    expect(found).toMatchObject({ right: 0, back: 0, trials: OTHER_TRIALS });
    expect(found.late).toBeGreaterThan(0);
  }, 1_200_000);

  test.each(BOTH)("unlike where a change waits for no replica: %s", async (ending) => {
    const options = { ...LASTING, listens: false, protocol: "nobodyWaits", times: RARE_LOOKS } as const;
    const replicas = await Promise.all([database.start(options), database.start(options)]);
    const isEnough = ({ right, back }: Found) => right > 0 && back > 0;
    const found = await runTrials({
      trials: CONTROL_TRIALS,
      keys: database.keys,
      replicas,
      endings: [ending],
      isEnough,
    });
    expect(found.right).toBeGreaterThan(0);
    expect(found.back).toBeGreaterThan(0);
  });
});

describe.each(BOTH)("the same trials find each mistake of a change: %s,", (ending) => {
  async function look(
    protocol: ProtocolName,
    mistake: "right" | "back",
    options: Partial<StoresOptions> = LASTING,
  ): Promise<Found> {
    const open = () => database.open({ ...options, listens: false, protocol });
    const replicas = await Promise.all([open(), open()]);
    const isEnough = (found: Found) => found[mistake] > 0;
    return runTrials({ trials: CONTROL_TRIALS, keys: database.keys, replicas, endings: [ending], isEnough });
  }

  test("a look that is acknowledged before it is applied", async () => {
    expect((await look("acknowledgesFirst", "right")).right).toBeGreaterThan(0);
  });

  test("a read that fills the cache although the record has changed since", async () => {
    expect((await look("fillsWithoutNote", "right", SLOW_READS)).right).toBeGreaterThan(0);
  });

  test("a mark that is removed before the commit", async () => {
    // The answer waits until all have seen the commit: only before it do replicas disagree.
    expect((await look("unmarksFirst", "back")).back).toBeGreaterThan(0);
  });

  test("a change without a mark, which one replica applies while another one does not", async () => {
    const found = await look("commitFirst", "back");
    expect(found.back).toBeGreaterThan(0);
    expect(found.right).toBe(0);
  });
});
