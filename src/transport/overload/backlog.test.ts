// promise: overload.bursts
import { describe, expect, test } from "vitest";
import { Backlog } from "./backlog.ts";

const WAIT_MS = 250;
const BURST_MS = 1_000;
const LOOK_MS = BURST_MS / 8;
const LATE = WAIT_MS + 1;

interface Interval {
  readonly joined: number;
  readonly left: number;
  readonly waitMs?: number;
  readonly refused?: number;
}

/** What it says after each of these intervals between two looks. */
function verdicts(intervals: readonly Interval[], backlog = new Backlog({ waitMsMax: WAIT_MS, burstMs: BURST_MS })) {
  return intervals.map(({ joined, left, waitMs = LATE, refused = 0 }, n) => {
    for (let i = 0; i < joined; i++) backlog.join();
    for (let i = 0; i < left; i++) backlog.serve(waitMs);
    for (let i = 0; i < refused; i++) backlog.refuse(waitMs);
    return backlog.look((n + 1) * LOOK_MS);
  });
}

const times = (count: number, interval: Interval) => Array<Interval>(count).fill(interval);
const ALL = (count: number, is: boolean) => Array<boolean>(count).fill(is);
const STANDING = { joined: 100, left: 100 };

test("a queue that stands is an overload after the time of a burst", () => {
  expect(verdicts(times(12, STANDING))).toEqual([...ALL(8, false), ...ALL(4, true)]);
});

test("a queue that grows is also one", () => {
  expect(verdicts(times(10, { joined: 150, left: 100 })).slice(-2)).toEqual([true, true]);
});

test("a queue that shrinks is not one, however long its requests wait", () => {
  expect(verdicts(times(100, { joined: 90, left: 100, waitMs: 60_000 }))).toEqual(ALL(100, false));
});

test("a queue with a single turn in time is not one until the time of a burst has passed again", () => {
  const inTime = { ...STANDING, waitMs: WAIT_MS };
  expect(verdicts([...times(8, STANDING), inTime, ...times(9, STANDING)])).toEqual([...ALL(17, false), true]);
});

describe("an overload", () => {
  test("goes on while requests are refused: that is not what makes a queue shrink", () => {
    const refusing = { joined: 100, left: 80, refused: 40 };
    expect(verdicts([...times(9, STANDING), ...times(20, refusing)]).slice(8)).toEqual(ALL(21, true));
  });

  test("ends at the next look when the load has ended", () => {
    expect(verdicts([...times(10, STANDING), { joined: 0, left: 100 }]).slice(-2)).toEqual([true, false]);
  });

  test("ends when nothing waits", () => {
    const backlog = new Backlog({ waitMsMax: WAIT_MS, burstMs: BURST_MS });
    verdicts(times(10, STANDING), backlog);
    expect(backlog.isOverload).toBe(true);
    backlog.end();
    expect(backlog.isOverload).toBe(false);
  });
});

test("nothing is an overload where requests may wait for ever", () => {
  const backlog = new Backlog({ waitMsMax: 0, burstMs: BURST_MS });
  expect(verdicts(times(20, STANDING), backlog)).toEqual(ALL(20, false));
});
