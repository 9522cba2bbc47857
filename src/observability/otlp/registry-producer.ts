import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { hrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricDescriptor,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from "prom-client";

type Metric = MetricObjectWithValues<MetricValue<string>>;
type Sample = MetricValue<string> | MetricValueWithName<string>;

/** Prometheus writes the unit into the name. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_seconds(?:_total)?$/, "s"],
  [/_bytes(?:_total)?$/, "By"],
];

/**
 * The metrics of a registry of prom-client as OpenTelemetry's SDK exports them, so that there is one set of counters. Names
 * stay as they are scraped, and counters count from the start of the process, as the specification has it for this direction.
 */
export function createRegistryProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime(0);
  return {
    async collect() {
      const collected = await registry.getMetricsAsJSON();
      const endTime = hrTime();
      const metrics = collected.flatMap((metric) => toMetricData(metric, startTime, endTime));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "latchkey" }, metrics }] }, errors: [] };
    },
  };
}

/** Empty for a summary, which OTLP keeps only for old sources. We have no summaries. */
function toMetricData(metric: Metric, startTime: HrTime, endTime: HrTime): MetricData[] {
  const { name, help, values } = metric;
  const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "";
  const descriptor: MetricDescriptor = { name, description: help, unit, valueType: ValueType.DOUBLE };
  const point = ({ labels, value }: Sample): DataPoint<number> => ({
    startTime,
    endTime,
    attributes: attributesOf(labels),
    value,
  });
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  // prom-client declares an enum, and has the words themselves at run time.
  switch (String(metric.type)) {
    case "counter":
      return [
        {
          descriptor,
          aggregationTemporality,
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints: values.map(point),
        },
      ];
    case "gauge":
      return [
        { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints: values.map(point) },
      ];
    case "histogram":
      return [
        {
          descriptor,
          aggregationTemporality,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: histogramsIn(values).map(({ attributes, value }) => ({ startTime, endTime, attributes, value })),
        },
      ];
    default:
      return [];
  }
}

/** Prometheus has a sample for each bucket, which counts the smaller ones, too; OpenTelemetry's buckets count themselves. */
function histogramsIn(samples: readonly Sample[]): { attributes: Attributes; value: Histogram }[] {
  const byLabels = new Map<
    string,
    { attributes: Attributes; counts: [number, number][]; sum: number; count: number }
  >();
  for (const sample of samples) {
    const { le, ...rest } = sample.labels;
    const attributes = attributesOf(rest);
    const key = JSON.stringify(Object.entries(attributes).sort());
    const histogram = byLabels.get(key) ?? { attributes, counts: [], sum: 0, count: 0 };
    byLabels.set(key, histogram);
    const kind = "metricName" in sample ? sample.metricName : "";
    if (kind.endsWith("_sum")) histogram.sum = sample.value;
    else if (kind.endsWith("_count")) histogram.count = sample.value;
    else histogram.counts.push([Number(le === "+Inf" ? Number.POSITIVE_INFINITY : le), sample.value]);
  }
  return Array.from(byLabels.values(), ({ attributes, counts, sum, count }) => {
    const sorted = counts.sort(([a], [b]) => a - b);
    return {
      attributes,
      value: {
        buckets: {
          boundaries: sorted.map(([bound]) => bound).filter(Number.isFinite),
          counts: sorted.map(([, upTo], index) => upTo - (sorted[index - 1]?.[1] ?? 0)),
        },
        sum,
        count,
      },
    };
  });
}

/** Prometheus treats an empty label as absent. */
function attributesOf(labels: Sample["labels"]): Attributes {
  const pairs = Object.entries(labels).map(([name, value]) => [name, String(value ?? "")] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ""));
}
