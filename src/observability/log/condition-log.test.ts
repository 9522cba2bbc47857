import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createConditionLog } from "./condition-log.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const lines: Record<string, unknown>[] = [];
  const serializers = { err: (err: unknown) => String(err) };
  const log = pino(
    { base: null, timestamp: false, serializers },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return { ...createConditionLog(log), lines };
}

/** As a driver throws it. */
function databaseError(code: string, message = "could not extend file"): Error {
  return Object.assign(new Error(message), { code });
}

describe("a condition", () => {
  test("is logged at once, then once a minute with how often it came since, and its latest occurrence", () => {
    const { error, lines } = open();
    for (let n = 0; n < 1_000; n++) error("the storage is unavailable", databaseError("53100", `file ${n}`), { n });
    expect(lines).toEqual([{ level: 50, err: "Error: file 0", n: 0, msg: "the storage is unavailable" }]);
    vi.advanceTimersByTime(MINUTE_MS - 1);
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(lines.slice(1)).toEqual([
      { level: 50, err: "Error: file 999", n: 999, repeated: 999, msg: "the storage is unavailable" },
    ]);
    error("the storage is unavailable", databaseError("53100"));
    vi.advanceTimersByTime(MINUTE_MS);
    expect(lines.slice(2)).toMatchObject([{ repeated: 1 }]);
  });

  test("that did not come for a minute is logged at once again", () => {
    const { error, lines } = open();
    error("the storage is unavailable", databaseError("53100"));
    vi.advanceTimersByTime(MINUTE_MS);
    expect(lines).toHaveLength(1);
    error("the storage is unavailable", databaseError("53100"));
    expect(lines).toHaveLength(2);
    expect(lines[1]).not.toHaveProperty("repeated");
  });

  test("is a message with the codes of an error and its causes, whatever else differs", () => {
    const { error, warn, lines } = open();
    const full = databaseError("53100");
    for (let n = 0; n < 2; n++) {
      error("the storage is unavailable", full);
      warn("a change of a key waits", full);
      error("the storage is unavailable", databaseError("57014"));
      error("credentials could not be checked", new StoreUnavailable(databaseError("53100")));
      error("credentials could not be checked", new StoreUnavailable(databaseError("08006")));
      error("the storage is unavailable", "the breaker is open");
    }
    expect(lines.map(({ level, err }) => [level, err])).toEqual([
      [50, "Error: could not extend file"],
      [40, "Error: could not extend file"],
      [50, "Error: could not extend file"],
      [50, "StoreUnavailable: The storage is unavailable; retry."],
      [50, "StoreUnavailable: The storage is unavailable; retry."],
      [50, "the breaker is open"],
    ]);
  });

  test("of an error without a code is where it was thrown and its text without numbers", () => {
    const { error, lines } = open();
    const here = (id: number) => new TypeError(`no thread ${id}`);
    const there = (id: number) => new TypeError(`no thread ${id}`);
    for (let id = 0; id < 10; id++) error("unforeseen error", here(id));
    for (let id = 0; id < 10; id++) error("unforeseen error", there(id));
    expect(lines).toHaveLength(2);
  });
});

test("conditions beyond the limit are counted as one", () => {
  const { error, lines } = open();
  for (let n = 0; n < 10_000; n++) error("unforeseen error", databaseError(`E${n}`));
  expect(lines).toHaveLength(101);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines.slice(101)).toMatchObject([{ repeated: 9_899 }]);
  vi.advanceTimersByTime(MINUTE_MS);
  error("unforeseen error", databaseError("E1"));
  expect(lines).toHaveLength(103);
});

test("what was only counted is logged when the process ends, and every error from then on", () => {
  const { error, close, lines } = open();
  for (let n = 0; n < 3; n++) error("the storage is unavailable", databaseError("53100"));
  close();
  expect(lines.slice(1)).toMatchObject([{ repeated: 2 }]);
  error("the storage is unavailable", databaseError("53100"));
  error("the storage is unavailable", databaseError("53100"));
  expect(lines).toHaveLength(4);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines).toHaveLength(4);
});
