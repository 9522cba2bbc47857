import { describe, expect, test } from "vitest";
import { parseFuture, parsePast } from "./instant.ts";
import { listed } from "./list.ts";
import { parseMetadata } from "./metadata.ts";
import { parseRateLimit } from "./rate-limit.ts";
import { wholeNumber } from "./whole-number.ts";

const NOW = new Date("2030-01-31T12:00:00Z");

describe("an instant", () => {
  test.each([
    ["2030-02-01T00:00:00Z", "2030-02-01T00:00:00.000Z"],
    ["2030-02-01T00:00+01:00", "2030-01-31T23:00:00.000Z"],
    ["30m", "2030-01-31T12:30:00.000Z"],
    ["12h", "2030-02-01T00:00:00.000Z"],
    ["90d", "2030-05-01T12:00:00.000Z"],
  ])("%s is %s", (text, instant) => {
    expect(parseFuture(text, NOW).toISOString()).toBe(instant);
  });

  test.each(["", "2030-02-01", "2030-02-01T00:00:00", "tomorrow", "1w", "-1d", "2030-13-01T00:00:00Z"])(
    "%j is rejected, since it could mean several or none",
    (text) => {
      expect(() => parseFuture(text, NOW)).toThrow(/2030-01-31T12:00:00Z/);
    },
  );
});

test("of what was, a duration counts back from now", () => {
  expect(parsePast("24h", NOW).toISOString()).toBe("2030-01-30T12:00:00.000Z");
  expect(parsePast("2030-02-01T00:00:00Z", NOW).toISOString()).toBe("2030-02-01T00:00:00.000Z");
});

describe("a rate limit", () => {
  const limit = (requestsPerMinute: number, requestsPerHour = 0, burstSize = 0) => ({
    requestsPerMinute,
    requestsPerHour,
    burstSize,
  });

  test.each([
    ["60/min", limit(60)],
    ["60/minute, 1000/h,burst=10", limit(60, 1_000, 10)],
    ["1000/hour", limit(0, 1_000)],
    ["none", limit(0)],
  ])("%s sets all three limits", (text, expected) => {
    expect(parseRateLimit(text)).toEqual(expected);
  });

  test.each(["", "60", "0/min", "60/min,70/min", "60/s", "none,60/min", "3000000000/h", "burst=-1"])(
    "%j is rejected",
    (text) => {
      expect(() => parseRateLimit(text)).toThrow(/60\/min,1000\/h,burst=10/);
    },
  );
});

test("metadata is a JSON object", () => {
  expect(parseMetadata('{"plan":"pro","a":[1]}')).toEqual({ plan: "pro", a: [1] });
  for (const text of ["", "pro", "[]", "null", "1", '{"a":'])
    expect(() => parseMetadata(text), text).toThrow(/JSON object/);
});

test("a list may be repeated, or have commas", () => {
  expect(listed("b, c", listed("a"))).toEqual(["a", "b", "c"]);
});

test("a whole number is within its bounds", () => {
  const parse = wholeNumber(1, 100);
  expect(parse("100")).toBe(100);
  for (const text of ["0", "101", "1.5", "1e1", ""]) expect(() => parse(text), text).toThrow(/from 1 to 100/);
});
