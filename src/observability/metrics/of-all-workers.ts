import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from "prom-client";

/** The registry of one process, as it is sent to another process. */
type MetricsReport = readonly MetricObjectWithValues<MetricValue<string>>[];

type Aggregator = MetricsReport[number]["aggregator"];

/**
 * How gauges are put together, by their names; all others are added up, unless they say otherwise themselves (`aggregator`).
 * One worker for which something is away is reported, and what each worker reads of all replicas is not added up.
 */
const BY_NAME: readonly (readonly [RegExp, Aggregator])[] = [
  [/_(?:up|held)$|_expiry_timestamp_seconds$|_start_time_seconds$/, "min"],
  [/_info$/, "first"],
  [/^latchkey_runs(?:$|_)|^latchkey_redis_memory_|_timeline$/, "max"],
];

/** One registry from those of several processes. */
function together(reports: readonly MetricsReport[]): Registry {
  const named = reports.map((report) =>
    report.map((metric) => ({ ...metric, aggregator: isGauge(metric) ? aggregatorOf(metric) : metric.aggregator })),
  );
  return AggregatorRegistry.aggregate(named);
}

function aggregatorOf({ name, aggregator }: MetricsReport[number]): Aggregator {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? aggregator;
}

/** In a report the type is the word of Prometheus' text format; in the types it is an enumeration. */
function isGauge({ type }: MetricsReport[number]): boolean {
  return String(type) === "gauge";
}

/**
 * The metrics of all workers, as of one process. Of a worker that has ended it keeps what was counted: if a counter went down,
 * Prometheus would take all of it for new. Counts after its latest report are lost.
 */
export function createWorkersMetrics() {
  const latest = new Map<number, MetricsReport>();
  let counted: MetricsReport = [];
  return {
    // Workers run the same build, and send what `getMetricsAsJSON` returned.
    reported: (worker: number, report: unknown) => void latest.set(worker, report as MetricsReport),
    async ended(worker: number): Promise<void> {
      const last = latest.get(worker);
      latest.delete(worker);
      if (last === undefined) return;
      const both = together([counted, last.filter((metric) => !isGauge(metric))]);
      counted = await both.getMetricsAsJSON();
    },
    text: () => together([counted, ...latest.values()]).metrics(),
  };
}
