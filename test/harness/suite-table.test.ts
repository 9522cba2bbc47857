import { expect, test } from "vitest";
import { busyMs } from "../peers/suite-table.ts";

test.each<[what: string, ms: number, tests: readonly (readonly [startTime: number, duration: number])[]]>([
  ["no test", 0, []],
  [
    "tests one after another, without the pauses between them",
    30,
    [
      [0, 10],
      [50, 20],
    ],
  ],
  [
    "tests at once count once",
    25,
    [
      [10, 20],
      [5, 10],
      [12, 3],
    ],
  ],
])("the time of a suite: %s", (_what, ms, tests) =>
  expect(busyMs(tests.map(([startTime, duration]) => ({ startTime, duration })))).toBe(ms),
);
