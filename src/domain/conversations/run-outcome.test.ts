// promise: conversations.deadline
import { describe, expect, test } from "vitest";
import { AssistantFailure, FAILURES } from "./assistant-failure.ts";
import { afterFailure, isEnd } from "./run-outcome.ts";

/** Longer than all pauses. */
const LEFT_MS = 300_000;
const passing = (retryAfterMs?: number) =>
  new AssistantFailure("overloaded", "answered 429", retryAfterMs === undefined ? {} : { retryAfterMs });

describe("a failed attempt at a run", () => {
  test("is retried after a pause that doubles, and fails for good at the fifth", () => {
    const pauses = [0, 1, 2, 3].map((failures) => afterFailure({ failures }, passing(), LEFT_MS));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000].map((pauseMs) => ({ kind: "retry", pauseMs })));
    for (const failures of [4, 5]) {
      expect(afterFailure({ failures }, passing(), LEFT_MS)).toEqual({
        kind: "fail",
        sentence: FAILURES.overloaded.sentence,
      });
    }
  });

  test("is retried after a longer pause if the assistant asks for one, of a minute at most", () => {
    const pauseOf = (failures: number, askedMs: number) => afterFailure({ failures }, passing(askedMs), LEFT_MS);
    expect(pauseOf(0, 5_000)).toEqual({ kind: "retry", pauseMs: 5_000 });
    expect(pauseOf(3, 5_000)).toEqual({ kind: "retry", pauseMs: 8_000 });
    expect(pauseOf(0, 61_000)).toEqual({ kind: "retry", pauseMs: 60_000 });
  });

  test("fails if its retry would come at the run's deadline or later", () => {
    const { sentence } = FAILURES.overloaded;
    expect(afterFailure({ failures: 0 }, passing(5_000), 5_001)).toEqual({ kind: "retry", pauseMs: 5_000 });
    for (const leftMs of [5_000, 0, -1]) {
      expect(afterFailure({ failures: 0 }, passing(5_000), leftMs)).toEqual({ kind: "fail", sentence });
    }
  });

  test("fails at once if no retry can help", () => {
    const failure = new AssistantFailure("refused", "answered 400", { cause: "a filter" });
    expect(failure).toMatchObject({ name: "AssistantFailure", message: "answered 400", cause: "a filter" });
    expect(failure.retryAfterMs).toBe(0);
    expect(afterFailure({ failures: 0 }, failure, LEFT_MS)).toEqual({
      kind: "fail",
      sentence: FAILURES.refused.sentence,
    });
  });
});

test("readers look again after an attempt that ended the run, or may have", () => {
  const failure = passing();
  expect(isEnd({ kind: "completed", usage: null })).toBe(true);
  expect(isEnd({ kind: "failed", failure })).toBe(true);
  expect(isEnd({ kind: "lost", failure: null })).toBe(true);
  expect(isEnd({ kind: "retried", failure })).toBe(false);
  expect(isEnd({ kind: "handed_over" })).toBe(false);
});
