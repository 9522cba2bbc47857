// promise: delivery.retries
import { expect, test } from "vitest";
import { afterAttempt } from "./retry.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const DAYS = 86_400_000;

function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms);
}

test("an attempt that fails is repeated after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, and then no more", () => {
  const delays = Array.from({ length: 10 }, (_, attempts) => {
    const outcome = afterAttempt({ attempts, failingSince: null }, { status: 500 }, NOW);
    return outcome.kind === "retried" ? outcome.delayMs / 1_000 : outcome;
  });
  const hours = [2, 5, 10, 14, 20, 24].map((h) => h * 3_600);
  expect(delays).toEqual([5, 300, 1_800, ...hours, { kind: "failed", disabled: null }]);
});

test.each([200, 202, 204, 299])("%i delivers", (status) => {
  const outcome = afterAttempt({ attempts: 9, failingSince: ago(6 * DAYS) }, { status }, NOW);
  expect(outcome).toEqual({ kind: "delivered" });
});

test.each([null, 100, 301, 304, 400, 404, 429, 500, 503])("%j does not", (status) => {
  expect(afterAttempt({ attempts: 0, failingSince: null }, { status }, NOW)).toMatchObject({ kind: "retried" });
});

test("410 disables at once", () => {
  const outcome = afterAttempt({ attempts: 0, failingSince: null }, { status: 410 }, NOW);
  expect(outcome).toEqual({ kind: "failed", disabled: "gone" });
});

test("five days without a success disable, and a moment less does not", () => {
  const at = (ms: number) => afterAttempt({ attempts: 0, failingSince: ago(ms) }, { status: null }, NOW);
  expect(at(5 * DAYS)).toEqual({ kind: "failed", disabled: "failing" });
  expect(at(5 * DAYS - 1)).toMatchObject({ kind: "retried" });
});
