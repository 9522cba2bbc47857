// promise: overload.storage
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createStorageWatch, type StorageWatch } from "./storage-watch.ts";

const AWAY = new StoreUnavailable(new Error("no answer"));
const FULL = new StoreUnavailable(Object.assign(new Error("no space left on device"), { code: "53100" }));
const STEADY_MS = 5_000;

const watches: StorageWatch[] = [];
afterAll(() => {
  for (const watch of watches) watch.close();
});

/** A watch of a storage that is in the state that the test says; undefined: it answers and can write. */
function open(probeMs = 10) {
  const storage = { problem: undefined as unknown, probes: 0, isHanging: false, lateMs: 0 };
  const clock = { ms: 0 };
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const metrics = new Registry();
  const probe = async () => {
    if (storage.isHanging) await new Promise(() => {});
    storage.probes += 1;
    if (storage.lateMs > 0 && storage.probes % 2 === 0) {
      clock.ms += storage.lateMs;
      throw AWAY;
    }
    if (storage.problem !== undefined) throw storage.problem;
  };
  const watch = createStorageWatch({ probe, log, metrics, monotonicMs: () => clock.ms, probeMs });
  watches.push(watch);
  return {
    ...watch,
    lines,
    storage,
    clock,
    fail: (err: unknown, what: string) => watch.failed(err, () => log.error(what)),
    failUsage: (err: unknown) => watch.usageFailed(err, () => log.error("usage cannot be stored")),
    gauge: async () => (await metrics.getSingleMetric("latchkey_postgres_up")?.get())?.values[0]?.value,
  };
}

test("what failed although the storage answers is logged, each as it is", async () => {
  const { lines, fail } = open();
  fail(AWAY, "a lock was held too long");
  fail(AWAY, "another one, too");
  fail(new Error("bad SQL"), "a mistake of ours");
  await expect.poll(() => lines.length).toBe(3);
  expect(lines).toEqual(["a mistake of ours", "a lock was held too long", "another one, too"]);
});

test("what fails while the process ends is logged, and also what was not logged yet", () => {
  const { lines, fail, close, storage } = open();
  storage.isHanging = true;
  fail(AWAY, "usage could not be stored");
  close();
  fail(AWAY, "nor at the end");
  expect(lines).toEqual(["usage could not be stored", "nor at the end"]);
});

test("of failures that wait for an answer only so many are held", () => {
  const { lines, fail, storage } = open();
  storage.isHanging = true;
  for (let n = 0; n < 1_001; n++) fail(AWAY, `request ${n}`);
  expect(lines).toEqual(["request 1000"]);
});

test("however many fail, the storage is asked ten times in an interval at most", async () => {
  const { fail, storage } = open(300);
  const startedMs = performance.now();
  while (storage.probes < 4) {
    fail(AWAY, "a lock was held too long");
    await new Promise(setImmediate);
  }
  // A timer may fire a millisecond early.
  expect(performance.now() - startedMs).toBeGreaterThan(3 * 29);
});

test("is not away for a process that was late itself: it is probed again", async () => {
  const { lines, storage, clock, gauge } = open();
  storage.lateMs = 1_000;
  const { probes } = storage;
  await expect.poll(() => storage.probes).toBeGreaterThan(probes + 3);
  expect(clock.ms).toBeGreaterThan(0);
  expect(lines).toEqual([]);
  expect(await gauge()).toBe(1);
});

test("is away where it is so for a late process twice", async () => {
  const { lines, storage } = open();
  storage.lateMs = 1_000;
  storage.problem = AWAY;
  await expect.poll(() => lines).toEqual(["PostgreSQL is away: what needs it fails until it is back"]);
});

describe.each([
  ["is away", AWAY, "PostgreSQL is away: what needs it fails until it is back", "PostgreSQL is back"],
  [
    "has no room",
    FULL,
    "PostgreSQL cannot write: what it is to store fails until it can",
    "PostgreSQL can write again",
  ],
  [
    "may not write",
    new Error("permission denied"),
    "PostgreSQL cannot write: what it is to store fails until it can",
    "PostgreSQL can write again",
  ],
])("a storage that %s", (_, problem, begins, ends) => {
  test("is found out by itself, where nothing is asked of it, and is up once that has been over for 5 s", async () => {
    const { lines, storage, clock, gauge } = open();
    expect(await gauge()).toBe(1);
    storage.problem = problem;
    await expect.poll(gauge).toBe(0);
    expect(lines).toEqual([begins]);
    storage.problem = undefined;
    const { probes } = storage;
    await expect.poll(() => storage.probes).toBeGreaterThan(probes + 1);
    expect(await gauge()).toBe(0);
    clock.ms += STEADY_MS;
    await expect.poll(gauge).toBe(1);
    expect(lines).toEqual([begins, ends]);
  });

  test("neither flaps nor is logged again while it comes and goes", async () => {
    const { lines, storage, clock, gauge, fail } = open();
    for (let n = 0; n < 4; n++) {
      storage.problem = n % 2 === 0 ? problem : undefined;
      const { probes } = storage;
      fail(AWAY, "a request");
      await expect.poll(() => storage.probes).toBeGreaterThan(probes + 1);
      expect(await gauge()).toBe(0);
      clock.ms += STEADY_MS - 1;
    }
    expect(lines.filter((line) => line !== "a request")).toEqual([begins]);
  });
});

test("a storage that comes back and takes no writes is not up before usage is stored", async () => {
  const { lines, failUsage, usageStored, storage, clock, gauge } = open();
  failUsage(new Error("permission denied"));
  storage.problem = AWAY;
  await expect.poll(() => lines.length).toBe(2);
  storage.problem = undefined;
  clock.ms += STEADY_MS;
  await expect.poll(() => lines.length).toBe(3);
  expect(await gauge()).toBe(0);
  usageStored();
  expect(await gauge()).toBe(1);
});

test("a write that finds no room makes the metric 0 at once, though there is room for the probe", async () => {
  const { lines, clock, gauge, fail } = open();
  expect(await gauge()).toBe(1);
  fail(FULL, "the storage is unavailable");
  expect(await gauge()).toBe(0);
  await expect.poll(() => lines).toEqual(["the storage is unavailable"]);
  clock.ms += STEADY_MS;
  expect(await gauge()).toBe(1);
});

test("one failure that says nothing of the storage leaves the metric at 1", async () => {
  const { lines, gauge, fail } = open();
  fail(AWAY, "a lock was held too long");
  fail(new Error("bad SQL"), "a mistake of ours");
  await expect.poll(() => lines.length).toBe(2);
  expect(await gauge()).toBe(1);
});

test.each([
  ["no room", FULL],
  ["no right", new Error("permission denied")],
])(
  "a storage that answers and has %s for usage is logged once, and is not up until usage is stored",
  async (_, err) => {
    const { lines, failUsage, usageStored, clock, gauge } = open();
    usageStored();
    expect(await gauge()).toBe(1);
    for (let n = 0; n < 5; n++) {
      failUsage(err);
      await expect.poll(gauge).toBe(0);
    }
    await expect.poll(() => lines).toEqual(["usage cannot be stored"]);
    usageStored();
    clock.ms += STEADY_MS;
    expect(await gauge()).toBe(0);
    usageStored();
    expect(await gauge()).toBe(1);
    expect(lines).toEqual(["usage cannot be stored", "usage is stored again"]);
  },
);
