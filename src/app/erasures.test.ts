import { afterEach, expect, test } from "vitest";
import type { PieceOutcome } from "../domain/erasures/erasure-store.ts";
import { type Erasures, startErasures } from "./erasures.ts";

const BEGUN = { erasureId: "aud_1", removed: {}, isFinished: false };
const NEVER = new AbortController().signal;
/** Longer than any test: a wait that ends has ended for another reason. */
const LONG_MS = 600_000;

let erasures: Erasures;
afterEach(() => erasures.close());

/** A store with one erasure of so many pieces. */
function start(pieces: number, waitMs: number): void {
  let left = pieces;
  const read = async () => ({ ...BEGUN, removed: { messages: pieces - left }, isFinished: left === 0 });
  const removePiece = async (): Promise<PieceOutcome> => {
    if (left === Number.POSITIVE_INFINITY) return "busy";
    left -= 1;
    return left === 0 ? "finished" : "removed";
  };
  erasures = startErasures({
    erasures: { begin: async () => BEGUN, read, removePiece, listUnfinished: async () => (left > 0 ? ["aud_1"] : []) },
    logFailure: () => () => {},
    waitMs,
  });
}

test("a call waits for the end of its erasure", async () => {
  start(3, LONG_MS);
  expect(await erasures.awaitErasure(BEGUN, NEVER)).toEqual({ ...BEGUN, removed: { messages: 3 }, isFinished: true });
});

test("a call waits no longer than it may, and returns how far the erasure is", async () => {
  start(Number.POSITIVE_INFINITY, 0);
  expect(await erasures.awaitErasure(BEGUN, NEVER)).toMatchObject({ isFinished: false });
});

test("the end of the caller, or of the process, ends the wait", async () => {
  start(Number.POSITIVE_INFINITY, LONG_MS);
  const caller = new AbortController();
  const waits = [erasures.awaitErasure(BEGUN, caller.signal), erasures.awaitErasure(BEGUN, NEVER)];
  caller.abort();
  expect(await waits[0]).toMatchObject({ isFinished: false });
  await erasures.close();
  expect(await waits[1]).toMatchObject({ isFinished: false });
  expect(await erasures.awaitErasure(BEGUN, NEVER)).toMatchObject({ isFinished: false });
});
