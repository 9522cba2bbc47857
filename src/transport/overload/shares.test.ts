// promise: overload.shares
import { expect, test } from "vitest";
import { createShares, type Place } from "./shares.ts";

const line = (name: string) => ({ name, isManager: false });

/** Lines that each take all they can of `max` places, one after the other, until none gets another. */
function fill(max: number, names: readonly string[]): { counts: Record<string, number>; all: number } {
  const shares = createShares(max);
  const places = new Map<string, Place[]>(names.map((name) => [name, []]));
  let all = 0;
  for (let round = 0; round < 3 * max; round++) {
    for (const [name, held] of places) {
      // Each gives one up and takes two, so that what the first had too much of goes to the others.
      const given = round > max ? held.shift() : undefined;
      if (given !== undefined) {
        given.end();
        all -= 1;
      }
      for (let n = 0; n < 2; n++) {
        if (all + 1 > max || shares.isTaken(line(name), all + 1)) continue;
        held.push(shares.begin(line(name)));
        all += 1;
      }
    }
  }
  return { counts: Object.fromEntries([...places].map(([name, held]) => [name, held.length])), all };
}

test("one that takes all it can has half of the places", () => {
  expect(fill(100, ["greedy"]).counts).toEqual({ greedy: 50 });
});

test("several have as much each, and as much is left", () => {
  for (const names of [["a", "b"], ["a", "b", "c"], "abcdefghi".split("")]) {
    const { counts, all } = fill(1_000, names);
    const each = 1_000 / (names.length + 1);
    for (const count of Object.values(counts)) expect(Math.abs(count - each)).toBeLessThanOrEqual(2);
    expect(Math.abs(1_000 - all - each)).toBeLessThanOrEqual(names.length + 1);
  }
});

test("another one always gets a place, and its tenant's users one beside it", () => {
  const shares = createShares(100);
  for (let n = 0; n < 51; n++) shares.begin(line("greedy"));
  expect(shares.isTaken(line("greedy"), 52)).toBe(true);
  expect(shares.isTaken(line("polite"), 52)).toBe(false);
  expect(shares.isTaken({ name: "greedy", isManager: true }, 52)).toBe(false);
});

test("a request that has ended, or turned out to be another's, leaves its line", () => {
  const shares = createShares(100);
  const places = Array.from({ length: 60 }, () => shares.begin(line("address")));
  expect(shares.isTaken(line("address"), 61)).toBe(true);
  for (const place of places.slice(0, 30)) place.move(line("tenant"));
  expect(shares.isTaken(line("address"), 61)).toBe(false);
  expect(shares.isTaken(line("tenant"), 75)).toBe(true);
  for (const place of places) place.end();
  expect(shares.isTaken(line("tenant"), 75)).toBe(false);
});

test("nothing is counted while few are under way, and nothing is bounded without a bound", () => {
  const shares = createShares(1_600);
  expect([shares.isCounting(99), shares.isCounting(100)]).toEqual([false, true]);
  const unbounded = createShares(0);
  unbounded.begin(line("a"));
  expect([unbounded.isCounting(1_000_000), unbounded.isTaken(line("a"), 1_000_000)]).toEqual([false, false]);
});
