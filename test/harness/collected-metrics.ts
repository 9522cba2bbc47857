import protobuf from "protobufjs";
import type { Labels } from "./request-metrics.ts";

export interface CollectedPoint {
  readonly attributes: Labels;
  readonly startMs: number;
  /** Of a counter or a gauge. */
  readonly value: number;
  /** Of a histogram. */
  readonly count: number;
  readonly sum: number;
  readonly bucketCounts: readonly number[];
  readonly bounds: readonly number[];
}

/** A metric as a collector got it. */
export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: "gauge" | "sum" | "histogram";
  /** Whether each export counts from the start of the process. */
  readonly isCumulative: boolean;
  readonly isMonotonic: boolean;
  readonly points: readonly CollectedPoint[];
  readonly resource: Labels;
}

/** The part of OTLP that is read here, with the numbers of opentelemetry-proto. */
const OTLP = `
  syntax = "proto3";
  message Request { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message Metric { string name = 1; string unit = 3; Numbers gauge = 5; Numbers sum = 7; Histograms histogram = 9; }
  message Numbers { repeated Number data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message Number { repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; double as_double = 4; }
  message Histograms { repeated Histogram data_points = 1; int32 aggregation_temporality = 2; }
  message Histogram {
    repeated KeyValue attributes = 9;
    fixed64 start_time_unix_nano = 2;
    fixed64 count = 4;
    double sum = 5;
    repeated fixed64 bucket_counts = 6;
    repeated double explicit_bounds = 7;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { string string_value = 1; }
`;
const REQUEST = protobuf.parse(OTLP).root.lookupType("Request");
const KINDS = ["gauge", "sum", "histogram"] as const;
const CUMULATIVE = 2;

interface Pair {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

interface Data {
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly {
    readonly attributes: readonly Pair[];
    readonly startTimeUnixNano: number;
    readonly asDouble?: number;
    readonly count?: number;
    readonly sum?: number;
    readonly bucketCounts?: readonly number[];
    readonly explicitBounds?: readonly number[];
  }[];
}

interface Request {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string; readonly unit?: string } & {
        readonly [Kind in CollectedMetric["kind"]]?: Data;
      })[];
    }[];
  }[];
}

/** The metrics in the body of an export. */
export function decodeMetrics(body: Uint8Array): CollectedMetric[] {
  // What the schema above makes of it.
  const request = REQUEST.toObject(REQUEST.decode(body), { longs: Number, arrays: true }) as Request;
  return request.resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap((metric) =>
        KINDS.flatMap((kind) => {
          const { name, unit = "", [kind]: data } = metric;
          if (data === undefined) return [];
          return {
            name,
            unit,
            kind,
            isCumulative: data.aggregationTemporality === CUMULATIVE,
            isMonotonic: data.isMonotonic ?? false,
            points: data.dataPoints.map(toPoint),
            resource: labelsIn(resource.attributes),
          };
        }),
      ),
    ),
  );
}

function toPoint(point: Data["dataPoints"][number]): CollectedPoint {
  return {
    attributes: labelsIn(point.attributes),
    startMs: point.startTimeUnixNano / 1e6,
    value: point.asDouble ?? Number.NaN,
    count: point.count ?? Number.NaN,
    sum: point.sum ?? Number.NaN,
    bucketCounts: point.bucketCounts ?? [],
    bounds: point.explicitBounds ?? [],
  };
}

function labelsIn(pairs: readonly Pair[]): Labels {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue]));
}
