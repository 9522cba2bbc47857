// promise: edges.no-stale
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { EDGE_PROTOCOLS, type EdgeProtocolName } from "./edge-protocols.ts";
import { runSchedule, type Schedule } from "./edge-world.ts";

const LONG = inject("longForm");
const TRIALS = LONG ? 2_000 : 60;
/** Within these, each mistake shows. */
const CONTROL_TRIALS = 600;
/** Mistakes that no earlier trial shows. Those before are made in the long form only. */
const SHOWN_LATE: Partial<Record<EdgeProtocolName, number>> = {
  countsFromAnswer: 452,
  grantsWholeLeases: 340,
  readsFirst: 285,
};

// Those of the link, which asks for leases. Nothing else waits by them.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A generator with a seed: a trial that fails can be run again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Each fault in a part of the trials, near the change. */
function scheduleOf(seed: number): Schedule {
  const random = randomOf(seed);
  const maybe = <Value>(share: number, value: () => Value): Value | undefined =>
    random() < share ? value() : undefined;
  const changeMs = 2_500 + Math.floor(500 * random());
  const around = (beforeMs: number, lengthMs: number): readonly [number, number] => {
    const fromMs = changeMs - beforeMs * random();
    return [fromMs, fromMs + lengthMs * random()];
  };
  return {
    changeMs,
    delaysMs: Array.from({ length: 61 }, () => (random() < 0.15 ? 600 * random() : 40 * random())),
    stalled: maybe(0.3, () => around(2_000, 4_000)),
    stopped: maybe(0.3, () => around(300, 4_000)),
    brokenMs: maybe(0.3, () => changeMs - 400 + 1_000 * random()),
    outage: maybe(0.2, () => [changeMs - 500 * random(), changeMs + 7_500]),
    leftMs: maybe(0.2, () => changeMs - 300 * random()),
    readsMs: Array.from({ length: 13 }, () => (random() < 0.4 ? 500 * random() : 0)),
    evictions: Array.from({ length: 37 }, () => random() < 0.15),
  };
}

const advance = (ms: number): void => void vi.advanceTimersByTime(ms);

async function firstFound(name: EdgeProtocolName, trials: number, first = 1): Promise<number | undefined> {
  for (let seed = first; seed < first + trials; seed++) {
    const unexplained = await runSchedule(name, scheduleOf(seed), advance);
    if (unexplained !== undefined) return seed;
  }
  return undefined;
}

test(`no edge accepts a key after its revocation was answered, in ${TRIALS} trials with faults`, async () => {
  expect(await firstFound("edges", TRIALS)).toBeUndefined();
}, 600_000);

const MISTAKES = Object.keys(EDGE_PROTOCOLS).filter((name) => name !== "edges") as EdgeProtocolName[];

// threat: G2
test.each(MISTAKES)(
  "the mistake %s is found",
  async (name) => {
    const found = await firstFound(name, CONTROL_TRIALS, LONG ? 1 : SHOWN_LATE[name]);
    console.log(`${name}: found by trial ${found}`);
    expect(found).toBeDefined();
  },
  600_000,
);
