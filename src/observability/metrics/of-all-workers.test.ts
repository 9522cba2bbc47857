import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createWorkersMetrics } from "./of-all-workers.ts";

/** A worker with some of each kind of metric. */
function newWorker({ up = 1, runs = 0, waiting = 0, expires = 0 } = {}) {
  const registers = [new Registry()] as const;
  const [registry] = registers;
  const help = "help";
  const requests = new Counter({
    name: "latchkey_requests_total",
    help,
    labelNames: ["code"],
    registers: [...registers],
  });
  const durations = new Histogram({ name: "latchkey_seconds", help, buckets: [1], registers: [...registers] });
  const gauge = (name: string, value: number) => new Gauge({ name, help, registers: [...registers] }).set(value);
  gauge("latchkey_postgres_up", up);
  gauge("latchkey_runs", runs);
  gauge("latchkey_waiting_readers", waiting);
  gauge("latchkey_postgres_connections_max", 10);
  gauge("latchkey_certificate_expiry_timestamp_seconds", expires);
  gauge("latchkey_build_info", 1);
  collectDefaultMetrics({ register: registry });
  return { requests, durations, report: () => registry.getMetricsAsJSON() };
}

function valueIn(text: string, name: string): number {
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1],
  );
}

test("counts are added up; what is away for one is away; what all read of the same is not added up", async () => {
  const workers = [
    newWorker({ up: 1, runs: 4, waiting: 2, expires: 200 }),
    newWorker({ up: 0, runs: 5, waiting: 3, expires: 100 }),
  ];
  const metrics = createWorkersMetrics();
  for (const [n, { requests, durations, report }] of workers.entries()) {
    requests.inc({ code: "ok" }, 10 + n);
    durations.observe(n);
    metrics.reported(n, JSON.parse(JSON.stringify(await report())));
  }
  const text = await metrics.text();
  expect(valueIn(text, 'latchkey_requests_total{code="ok"}')).toBe(21);
  expect(valueIn(text, "latchkey_seconds_count")).toBe(2);
  expect(valueIn(text, 'latchkey_seconds_bucket{le="1"}')).toBe(2);
  expect(valueIn(text, "latchkey_postgres_up")).toBe(0);
  expect(valueIn(text, "latchkey_runs")).toBe(5);
  expect(valueIn(text, "latchkey_waiting_readers")).toBe(5);
  expect(valueIn(text, "latchkey_postgres_connections_max")).toBe(20);
  expect(valueIn(text, "latchkey_certificate_expiry_timestamp_seconds")).toBe(100);
  expect(valueIn(text, "latchkey_build_info")).toBe(1);
  // A process that runs all tests may be older than an hour.
  const startedS = Date.now() / 1_000 - process.uptime();
  expect(Math.abs(valueIn(text, "process_start_time_seconds") - startedS)).toBeLessThan(3_600);
});

test("no counter goes down when a worker ends, and no gauge keeps what it had", async () => {
  const metrics = createWorkersMetrics();
  const [first, second, third] = [newWorker({ waiting: 1 }), newWorker({ waiting: 2 }), newWorker({ up: 0 })];
  for (const { requests, durations } of [first, second]) {
    requests.inc({ code: "ok" }, 5);
    durations.observe(0.5);
  }
  metrics.reported(1, await first.report());
  metrics.reported(2, await second.report());
  metrics.reported(3, await third.report());
  for (const worker of [1, 3, 4]) await metrics.ended(worker);
  metrics.reported(5, await newWorker().report());
  const text = await metrics.text();
  expect(valueIn(text, 'latchkey_requests_total{code="ok"}')).toBe(10);
  expect(valueIn(text, 'latchkey_seconds_bucket{le="+Inf"}')).toBe(2);
  expect(valueIn(text, "latchkey_waiting_readers")).toBe(2);
  expect(valueIn(text, "latchkey_postgres_up")).toBe(1);
});
