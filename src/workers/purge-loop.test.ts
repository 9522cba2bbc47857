// promise: usage.series
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type PurgeLoop, type Removal, startPurgeLoop } from "./purge-loop.ts";

const START = new Date("2027-01-15T08:00:00Z");
const MINUTE_MS = 60_000;
/** Longer than all pauses between the pieces of these tests. */
const PIECES_MS = 10_000;

let errors: unknown[];
let loops: PurgeLoop[];

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout", "Date"] });
  errors = [];
  loops = [];
});

afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.close()));
  vi.useRealTimers();
});

function start(...removals: Removal[]): PurgeLoop {
  const loop = startPurgeLoop({ removals, clock: () => new Date(), onFault: (err) => void errors.push(err) });
  loops.push(loop);
  return loop;
}

/** A removal of that many pieces, which remembers when each was removed. */
function rows(pieces: number): { readonly remove: Removal; readonly at: Date[]; left: number } {
  const table = {
    left: pieces,
    at: [] as Date[],
    remove: async (now: Date) => {
      table.at.push(now);
      table.left = Math.max(0, table.left - 1);
      return table.left > 0;
    },
  };
  return table;
}

test("a pass begins each minute, the first one a minute after the start", async () => {
  const table = rows(0);
  start(table.remove);
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(table.at).toEqual([]);
  await vi.advanceTimersByTimeAsync(1 + 2 * MINUTE_MS);
  expect(table.at).toEqual([1, 2, 3].map((minutes) => new Date(START.getTime() + minutes * MINUTE_MS)));
});

test("all pieces go in one pass, with a pause after each, and then none is tried", async () => {
  const table = rows(20);
  start(table.remove);
  await vi.advanceTimersByTimeAsync(MINUTE_MS + PIECES_MS);
  expect(table.left).toBe(0);
  expect(table.at).toHaveLength(20);
  expect(new Set(table.at.map((at) => at.getTime())).size).toBe(20);
});

test("removals take turns, so that a large one does not keep the others waiting", async () => {
  const order: string[] = [];
  const [large, small] = [rows(3), rows(2)];
  const noting = (name: string, remove: Removal): Removal => {
    return (now) => {
      order.push(name);
      return remove(now);
    };
  };
  start(noting("large", large.remove), noting("small", small.remove));
  await vi.advanceTimersByTimeAsync(MINUTE_MS + PIECES_MS);
  expect(order).toEqual(["large", "small", "large", "small", "large"]);
});

test("a removal that fails is reported, stops no other, and runs again in the next pass", async () => {
  const broken = new Error("the storage is away");
  const table = rows(3);
  let isBroken = true;
  const recovered = rows(2);
  start((now) => (isBroken ? Promise.reject(broken) : recovered.remove(now)), table.remove);
  await vi.advanceTimersByTimeAsync(MINUTE_MS + PIECES_MS);
  expect(errors).toEqual([broken]);
  expect(table.left).toBe(0);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(MINUTE_MS + PIECES_MS);
  expect(errors).toEqual([broken]);
  expect(recovered.left).toBe(0);
});

test("closing waits for the piece under way, begins no other, and leaves no timer", async () => {
  const piece = Promise.withResolvers<boolean>();
  let pieces = 0;
  const loop = start(() => {
    pieces += 1;
    return piece.promise;
  });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  let isClosed = false;
  const closing = Promise.all([loop.close(), loop.close()]).then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect({ isClosed, pieces }).toEqual({ isClosed: false, pieces: 1 });
  piece.resolve(true);
  await closing;
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(pieces).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("closing ends the pause between two pieces", async () => {
  const table = rows(100);
  const loop = start(table.remove);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await loop.close();
  expect(table.at).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
