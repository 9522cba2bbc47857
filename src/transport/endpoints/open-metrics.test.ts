// promise: paths.metrics
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { prefersOpenMetrics, toOpenMetrics } from "./open-metrics.ts";

test.each([
  [undefined, false],
  ["*/*", false],
  ["text/plain", false],
  ["application/openmetrics-text", true],
  ["Application/OpenMetrics-Text; Version=1.0.0", true],
  ["application/openmetrics-text;version=0.0.1", false],
  ["application/openmetrics-text;q=0", false],
  ["application/openmetrics-text;q=0.3,text/plain;q=0.4", false],
  ["text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0", true],
  // Prometheus 2 and 3.
  [
    "application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1",
    true,
  ],
  [
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.1",
    true,
  ],
  ["text/plain;version=0.0.4;q=0.5,*/*;q=0.1", false],
])("a scraper with Accept %j prefers OpenMetrics: %s", (accept, prefers) =>
  expect(prefersOpenMetrics(accept)).toBe(prefers),
);

test("OpenMetrics has a counter's family without the suffix, escaped help, no empty lines, and an end", async () => {
  const registers = [new Registry()];
  const names = { registers, labelNames: ["a"] } as const;
  new Counter({ ...names, name: "x_total", help: 'Of "x".' }).inc({ a: "1 counter" }, 2);
  new Gauge({ ...names, name: "y", help: "Of y." }).set({ a: '"\n' }, Number.POSITIVE_INFINITY);
  new Histogram({ ...names, name: "z_seconds", help: "Of z.", buckets: [1] }).observe({ a: "b" }, 2);
  const text = (await registers[0]?.metrics()) ?? "";
  expect(toOpenMetrics(text).split("\n")).toEqual([
    '# HELP x Of \\"x\\".',
    "# TYPE x counter",
    'x_total{a="1 counter"} 2',
    "# HELP y Of y.",
    "# TYPE y gauge",
    'y{a="\\"\\n"} +Inf',
    "# HELP z_seconds Of z.",
    "# TYPE z_seconds histogram",
    'z_seconds_bucket{le="1",a="b"} 0',
    'z_seconds_bucket{le="+Inf",a="b"} 1',
    'z_seconds_sum{a="b"} 2',
    'z_seconds_count{a="b"} 1',
    "# EOF",
    "",
  ]);
});
