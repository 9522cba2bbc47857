import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { TIMES } from "../../src/store/replicas/times.ts";
import { countStale, openProcesses, type Processes, warm } from "./processes.ts";
import type { StoreProcess, StoreProcessOptions, Verb } from "./store-process.ts";

/** `npm run test:faults` takes the real times and more rounds. */
const LONG = inject("longForm");
const times = LONG ? TIMES : { ...TIMES, lease: 1_000, bound: 2_200, renewal: 350 };
const ROUNDS = LONG ? 5 : 1;
const CONTROL_ROUNDS = 10;
const KEYS = 20;
/** Between a change and its answer, beside what it waits for. */
const LATE_MS = 2_000;
const REFUSED = { revoke: "revoked", suspend: "suspended" } as const satisfies Partial<Record<Verb, string>>;
type Ending = keyof typeof REFUSED;

let processes: Processes;
beforeEach(async () => {
  processes = await openProcesses({ times });
});
afterEach(() => processes.close());

async function startThree(lease: StoreProcessOptions["lease"] = "compared") {
  return Promise.all([processes.start(), processes.start(), processes.start({ lease })]);
}

interface Found {
  /** Keys that the busy loop of the stopped process accepted after the change had been acknowledged. */
  readonly stale: number;
  /** What its callers were answered that had asked while it was stopped. */
  readonly queued: readonly string[];
  readonly tookMs: number;
}

/**
 * Stops one of three processes in its work, has another one revoke all keys, or suspend their tenants, and continues it at
 * the answer.
 */
async function changeWhileStopped(
  [changer, other, stopped]: readonly [StoreProcess, StoreProcess, StoreProcess],
  verb: Ending = "revoke",
  whileStopped: () => Promise<void> = async () => {},
): Promise<Found> {
  const keys = await processes.newKeys(KEYS);
  await warm([changer, other, stopped], keys);
  await stopped.watch(keys, true);
  await sleep(100 + 100 * Math.random());
  stopped.pause();
  const early = stopped.verify(keys);
  await whileStopped();
  const startedMs = performance.now();
  const acked = await Promise.all(keys.map((key) => changer.change(verb, key)));
  const tookMs = performance.now() - startedMs;
  expect(await other.verify(keys)).toEqual(keys.map(() => REFUSED[verb]));
  const late = stopped.verify(keys);
  stopped.resume();
  const queued = [...(await early), ...(await late), ...(await stopped.verify(keys))];
  return { stale: countStale(acked, [await stopped.seen(keys)]), queued, tookMs };
}

const threeTimes = (status: string) => Array.from({ length: 3 * KEYS }, () => status);

test.each([
  ["that was revoked", "revoke"],
  ["whose tenant was suspended", "suspend"],
] as const)(
  "a process that is stopped accepts no key %s meanwhile, and is waited for until the bound",
  async (_, verb) => {
    for (let round = 0; round < ROUNDS; round++) {
      const three = await startThree();
      const { stale, queued, tookMs } = await changeWhileStopped(three, verb);
      console.log(`the change took ${tookMs.toFixed(0)} ms`);
      expect({ stale, queued }).toEqual({ stale: 0, queued: threeTimes(REFUSED[verb]) });
      expect(tookMs).toBeGreaterThan(times.bound - times.renewal);
      expect(tookMs).toBeLessThan(times.bound + times.mark + LATE_MS);
      await expectInTouch(three);
      await Promise.all(three.map((process) => process.kill()));
    }
  },
  300_000,
);

test("after its row was removed no change waits for it, and it is in touch again when it continues", async () => {
  const three = await startThree();
  const [, , stopped] = three;
  const keys = await processes.newKeys(1);
  await warm(three, keys);
  stopped.pause();
  const removed = async () => {
    const rows = async () => (await processes.query("select from replicas")).length;
    await expect.poll(rows, { timeout: times.bound + 3 * times.renewal + LATE_MS }).toBe(2);
  };
  await removed();
  stopped.resume();
  const { stale, queued, tookMs } = await changeWhileStopped(three, "revoke", removed);
  expect({ stale, queued }).toEqual({ stale: 0, queued: threeTimes("revoked") });
  expect(tookMs).toBeLessThan(times.bound - times.lease);
  await expectInTouch(three);
}, 120_000);

test("a process that continues before the bound ends the wait, and has accepted nothing since the commit", async () => {
  const three = await startThree();
  const [revoker, , stopped] = three;
  const keys = await processes.newKeys(KEYS);
  await warm(three, keys);
  await stopped.watch(keys, true);
  await sleep(100);
  stopped.pause();
  const startedMs = performance.now();
  const changes = Promise.all(keys.map((key) => revoker.change("revoke", key)));
  const early = stopped.verify(keys);
  await sleep(times.lease + 100);
  const isCommitted = async () => (await processes.query("select from api_keys where revoked_at is null")).length === 0;
  await expect.poll(isCommitted).toBe(true);
  stopped.resume();
  expect(await early).toEqual(keys.map(() => "revoked"));
  const acked = await changes;
  expect(performance.now() - startedMs).toBeLessThan(times.bound);
  expect(countStale(acked, [await stopped.seen(keys)])).toBe(0);
});

test.each([
  ["always", "revoke"],
  ["always", "suspend"],
  ["timer", "revoke"],
] as const)(
  "unlike with a lease that is held %s, in the same trial: %s",
  async (lease, verb) => {
    let stale = 0;
    // Whether the process takes a step before its timer depends on where it was stopped.
    for (let round = 0; round < CONTROL_ROUNDS && stale === 0; round++) {
      const three = await startThree(lease);
      ({ stale } = await changeWhileStopped(three, verb));
      await Promise.all(three.map((process) => process.kill()));
    }
    console.log(`stale with ${lease}: ${stale} of ${KEYS}`);
    expect(stale).toBeGreaterThan(0);
  },
  180_000,
);

/** All have a lease, and changes are quick. */
async function expectInTouch(all: readonly [StoreProcess, ...StoreProcess[]]): Promise<void> {
  await warm(all, await processes.newKeys(1));
  const [key] = await processes.newKeys(1);
  const startedMs = performance.now();
  if (key !== undefined) await all[0].change("revoke", key);
  expect(performance.now() - startedMs).toBeLessThan(times.bound - times.lease);
}
