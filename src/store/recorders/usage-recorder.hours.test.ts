// promise: usage.series
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Ledger, type StoreOutcome } from "../../../test/harness/usage-ledger.ts";
import type { UseFailure } from "../../domain/usage/uses.ts";
import { createUsageRecorder, type OwnUsage } from "./usage-recorder.ts";

const START = new Date("2027-01-15T08:00:00Z");
const HOUR_MS = 3_600_000;
const FLUSH_MS = 1_000;
const NEVER = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "Date"] });
});

afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});

function recorderOf(ledger: Ledger): OwnUsage {
  return createUsageRecorder({ keys: ledger, onError: () => {}, onStored: () => {}, onLost: () => {} });
}

function at(hours: number): Date {
  return new Date(START.getTime() + hours * HOUR_MS);
}

test("a use counts in the hour of its time, and not in that of the flush", async () => {
  const ledger = new Ledger();
  const recorder = recorderOf(ledger);
  recorder.count("a", { failure: undefined, at: new Date(at(1).getTime() - 1) });
  recorder.count("a", { failure: undefined, at: at(1) });
  recorder.count("a", { failure: undefined, at: new Date(at(2).getTime() - 1) });
  // Requests that began before the hour may be counted after others.
  recorder.count("a", { failure: "jwt_expired", at: at(0) });
  await vi.advanceTimersByTimeAsync(FLUSH_MS);
  expect(ledger.hoursOf("a")).toEqual({
    "2027-01-15T08 successful": 1,
    "2027-01-15T08 jwt_expired": 1,
    "2027-01-15T09 successful": 2,
  });
  expect(ledger.totals.get("a")?.lastUsedAt).toEqual(new Date(at(2).getTime() - 1));
  expect(ledger.sent).toHaveLength(1);
});

test("a failed use counts by its reason", async () => {
  const ledger = new Ledger();
  const recorder = recorderOf(ledger);
  for (const failure of ["rate_limited", "not_found", "rate_limited", "internal", undefined] as const)
    recorder.count("a", { failure, at: START });
  await recorder.store(["a"]);
  recorder.count("a", { failure: "rate_limited", at: START });
  await recorder.store(["a"]);
  expect(ledger.hoursOf("a")).toEqual({
    "2027-01-15T08 rate_limited": 3,
    "2027-01-15T08 not_found": 1,
    "2027-01-15T08 internal": 1,
    "2027-01-15T08 successful": 1,
  });
});

test("the last use is the latest of all hours, until they are stored", async () => {
  const recorder = recorderOf(new Ledger());
  for (const hours of [1, 3, 2]) recorder.count("a", { failure: undefined, at: at(hours) });
  expect(recorder.lastUsed("a")).toEqual(at(3));
});

test("after an outage of days, batches have so few rows that a database can store them", async () => {
  const ledger = new Ledger();
  ledger.outcome = "lost";
  const recorder = recorderOf(ledger);
  const ids = Array.from({ length: 1_000 }, (_, n) => `key ${n}`);
  for (const id of ids) for (let hour = 0; hour < 48; hour++) recorder.count(id, { failure: undefined, at: at(hour) });
  ledger.outcome = "stored";
  await recorder.close(NEVER);
  const everyHour = new Array(48).fill(1).join();
  expect(ids.filter((id) => Object.values(ledger.hoursOf(id)).join() !== everyHour)).toEqual([]);
  expect(Math.max(...ledger.sent.map(({ rows }) => rows))).toBeLessThan(20_000 + 48);
});

test("law: for any order of requests, flushes and faults, the store has exactly the counted requests of each hour in the end", async () => {
  const keyId = fc.constantFrom("a", "b", "c");
  const failure = fc.constantFrom<UseFailure | undefined>(
    undefined,
    undefined,
    "rate_limited",
    "jwt_expired",
    "not_found",
  );
  const end = fc.constantFrom<StoreOutcome>("stored", "lost", "stored, but the answer was lost");
  const event = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("count" as const), keyId, failure, hour: fc.nat({ max: 2 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("flush" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("tick" as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("end" as const), outcome: end }) },
  );
  const property = fc.asyncProperty(fc.array(event, { maxLength: 80 }), async (run) => {
    const store = new Ledger();
    store.outcome = undefined;
    const usage = createUsageRecorder({
      keys: store,
      onError: () => {},
      onStored: () => {},
      onLost: () => {},
    });
    const counted = new Map<string, Record<string, number>>();
    for (const step of run) {
      if (step.kind === "count") {
        const { keyId, failure, hour } = step;
        usage.count(keyId, { failure, at: at(hour) });
        const known = counted.get(keyId) ?? {};
        const name = `2027-01-15T${String(8 + hour).padStart(2, "0")} ${failure ?? "successful"}`;
        counted.set(keyId, { ...known, [name]: (known[name] ?? 0) + 1 });
      }
      if (step.kind === "flush") void usage.store(["a", "b", "c"]).catch(() => {});
      if (step.kind === "tick") await vi.advanceTimersByTimeAsync(FLUSH_MS);
      if (step.kind === "end") store.sent.at(-1)?.end(step.outcome);
      await vi.advanceTimersByTimeAsync(0);
    }
    store.outcome = "stored";
    store.sent.at(-1)?.end("stored, but the answer was lost");
    await usage.close(NEVER);
    for (const [keyId, expected] of counted) expect(store.hoursOf(keyId)).toEqual(expected);
    expect(store.totals.size).toBe(counted.size);
    expect(store.mostUnderWay).toBeLessThanOrEqual(1);
  });
  await fc.assert(property, { numRuns: 300 });
});
