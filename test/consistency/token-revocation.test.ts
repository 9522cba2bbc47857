// promise: access.ends
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import type { ProtocolName } from "./protocols.ts";
import type { StoresOptions } from "./stores.ts";
import { type Ending, type Found, RARE_LOOKS, runTrials } from "./trials.ts";

/** `npm run test:faults` runs the long form. */
const TRIALS = inject("longForm") ? 5_000 : 300;
/** Controls end with their first failure. They have this many trials for it. */
const CONTROL_TRIALS = 400;
/** As those of `revocation.test.ts`. */
const DISTURBANCES = { tokens: true, readDelayMs: 24, stepDelayMs: 4, evictions: 0.1 };
const LASTING = { ...DISTURBANCES, evictions: 0 };
const SLOW_READS = { ...LASTING, readDelayMs: 1_000 };
/** What ends a token: itself, the rule by which it was issued, and all that ends its key. */
const OF_TOKENS: readonly Ending[] = ["revoke_token", "disable_rule", "delete_rule"];
const ENDINGS: readonly Ending[] = [...OF_TOKENS, "revoke", "disable", "suspend"];

let database: SharedDatabase;

beforeEach(async () => {
  database = await openSharedDatabase();
});

afterEach(() => database.close());

describe("a revocation of a token, the end of its rule, and each end of its key bind for the token on all replicas before they are acknowledged", () => {
  test.each([
    ["woken by notifications", true, TRIALS],
    ["that only poll", false, TRIALS / 5],
  ])(
    "on two replicas %s",
    async (_, listens, trials) => {
      const start = () => database.start({ ...DISTURBANCES, listens });
      const replicas = await Promise.all([start(), start()]);
      const found = await runTrials({ trials, keys: database.keysWithTokens, replicas, endings: ENDINGS });
      expect(found).toMatchObject({ right: 0, back: 0, trials });
      // Otherwise these were no trials.
      expect(found.verifications).toBeGreaterThan(10 * trials);
    },
    1_200_000,
  );
});

describe.each(OF_TOKENS)("the same trials find each mistake of a change: %s,", (ending) => {
  async function look(
    protocol: ProtocolName,
    mistake: "right" | "back",
    options: Partial<StoresOptions> = LASTING,
  ): Promise<Found> {
    const open = () => database.open({ ...options, listens: false, protocol });
    const replicas = await Promise.all([open(), open()]);
    const isEnough = (found: Found) => found[mistake] > 0;
    return runTrials({ trials: CONTROL_TRIALS, keys: database.keysWithTokens, replicas, endings: [ending], isEnough });
  }

  test.each<[string, ProtocolName, "right" | "back", Partial<StoresOptions>]>([
    ["one that waits for no replica", "nobodyWaits", "right", { ...LASTING, times: RARE_LOOKS }],
    ["a look that is acknowledged before it is applied", "acknowledgesFirst", "right", LASTING],
    ["a read that fills the cache although the record has changed since", "fillsWithoutNote", "right", SLOW_READS],
    ["a mark that is removed before the commit", "unmarksFirst", "back", LASTING],
    ["a change without a mark, which one replica applies while another one does not", "commitFirst", "back", LASTING],
  ])("%s", async (_what, protocol, mistake, options) => {
    expect((await look(protocol, mistake, options))[mistake]).toBeGreaterThan(0);
  });
});
