import { expect, test } from "vitest";
import { traceIdIn } from "./trace-id.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test.each([
  `00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-00`,
  `01-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-what-comes-later`,
])("%s names a trace", (traceparent) => {
  expect(traceIdIn(traceparent)).toBe(TRACE);
});

test.each([
  "",
  TRACE,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01-`,
  `00-${TRACE}-${SPAN}-1`,
  `0-${TRACE}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}"-${SPAN}-01`,
  `00-${TRACE}a-${SPAN}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01more`,
])("%j names none", (traceparent) => {
  expect(traceIdIn(traceparent)).toBeUndefined();
});

test("a request without it, or with two, is part of none", () => {
  expect(traceIdIn(undefined)).toBeUndefined();
  expect(traceIdIn(`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`)).toBeUndefined();
});
