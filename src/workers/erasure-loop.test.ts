// promise: erasure.finishes
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PieceOutcome } from "../domain/erasures/erasure-store.ts";
import { type ErasureLoop, startErasureLoop } from "./erasure-loop.ts";

const POLL_MS = 2_000;
/** All pauses between the pieces of a test, and less than a poll. */
const PIECES_MS = 1_000;

let pieces: Map<string, number>;
let removed: string[];
let errors: unknown[];
let remove: (erasureId: string) => Promise<PieceOutcome>;
let loop: ErasureLoop;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  pieces = new Map();
  removed = [];
  errors = [];
  remove = async (erasureId) => {
    const left = pieces.get(erasureId) ?? 0;
    if (left === 0) {
      pieces.delete(erasureId);
      return "finished";
    }
    removed.push(erasureId);
    pieces.set(erasureId, left - 1);
    return "removed";
  };
});

afterEach(async () => {
  await loop.stop();
  vi.useRealTimers();
});

function start(): void {
  loop = startErasureLoop({
    erasures: { listUnfinished: async () => [...pieces.keys()], removePiece: (erasureId) => remove(erasureId) },
    pollMs: POLL_MS,
    onFault: (err) => void errors.push(err),
  });
}

test("what another process has left is finished from the start on, one erasure after the other", async () => {
  pieces = new Map([
    ["a", 3],
    ["b", 2],
  ]);
  start();
  await vi.advanceTimersByTimeAsync(PIECES_MS);
  expect(removed).toEqual(["a", "a", "a", "b", "b"]);
  expect(pieces.size).toBe(0);
});

test("a new erasure begins with the next poll, or at once after a wake", async () => {
  start();
  await vi.advanceTimersByTimeAsync(1);
  pieces.set("polled", 1);
  await vi.advanceTimersByTimeAsync(POLL_MS - 2);
  expect(removed).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(removed).toEqual(["polled"]);
  pieces.set("woken", 1);
  loop.wake();
  await vi.advanceTimersByTimeAsync(PIECES_MS);
  expect(removed).toEqual(["polled", "woken"]);
});

test("a busy erasure is left to the next poll, and one that fails is reported; neither keeps the others waiting", async () => {
  const broken = new Error("the storage is away");
  pieces = new Map([
    ["broken", 1],
    ["busy", 1],
    ["fine", 1],
  ]);
  const works = remove;
  remove = async (erasureId) => {
    if (erasureId === "broken") throw broken;
    return erasureId === "busy" ? "busy" : works(erasureId);
  };
  start();
  await vi.advanceTimersByTimeAsync(PIECES_MS);
  expect({ removed, errors }).toEqual({ removed: ["fine"], errors: [broken] });
  remove = works;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(removed).toEqual(["fine", "broken", "busy"]);
});

test("stopping waits for the piece under way, and begins no other", async () => {
  const piece = Promise.withResolvers<PieceOutcome>();
  let begun = 0;
  pieces.set("a", 2);
  remove = () => {
    begun += 1;
    return piece.promise;
  };
  start();
  await vi.advanceTimersByTimeAsync(1);
  let isStopped = false;
  const stopping = Promise.all([loop.stop(), loop.stop()]).then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect({ isStopped, begun }).toEqual({ isStopped: false, begun: 1 });
  piece.resolve("removed");
  await vi.advanceTimersByTimeAsync(PIECES_MS);
  await stopping;
  expect(begun).toBe(1);
});
