import { describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

describe("tracing", () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  const tracing = (env: Environment) => readConfig({ ...ENDPOINT, ...env }).tracing;

  test("is off until an endpoint is named, whatever else is set", () => {
    expect(readConfig({}).tracing).toBeNull();
    const rest = { OTEL_TRACES_EXPORTER: "zipkin", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "?" };
    expect(readConfig({ ...rest, OTEL_EXPORTER_OTLP_ENDPOINT: " ", OTEL_SERVICE_NAME: "x" }).tracing).toBeNull();
  });

  test.each<Environment>([
    { OTEL_SDK_DISABLED: "true" },
    { OTEL_SDK_DISABLED: "TRUE", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  ])("is off where it is switched off: %o", (env) => {
    expect(tracing(env)).toBeNull();
  });

  test("has the defaults of OpenTelemetry's specification", () => {
    expect(tracing({ OTEL_SDK_DISABLED: "false", OTEL_TRACES_EXPORTER: "otlp" })).toEqual({
      url: "http://collector:4318/v1/traces",
      followsParent: true,
      sampledShare: 1,
      queue: {
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
      },
    });
  });

  test("the endpoint of all signals gets the path of traces, that of traces is taken as it is", () => {
    const url = (env: Environment) => readConfig(env).tracing?.url;
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c.example/otlp/" })).toBe("https://c.example/otlp/v1/traces");
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = "https://t.example/in";
    expect(url({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })).toBe("https://t.example/in");
    expect(url({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })).toBe("https://t.example/in");
  });

  test.each([
    ["always_on", undefined, { followsParent: false, sampledShare: 1 }],
    ["always_off", "0.5", { followsParent: false, sampledShare: 0 }],
    ["traceidratio", "0.25", { followsParent: false, sampledShare: 0.25 }],
    ["traceidratio", undefined, { followsParent: false, sampledShare: 1 }],
    ["parentbased_always_on", "x", { followsParent: true, sampledShare: 1 }],
    ["parentbased_always_off", undefined, { followsParent: true, sampledShare: 0 }],
    ["parentbased_traceidratio", ".5", { followsParent: true, sampledShare: 0.5 }],
    ["parentbased_traceidratio", "0", { followsParent: true, sampledShare: 0 }],
  ])("the sampler %s with %j", (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, sampling) => {
    expect(tracing({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })).toMatchObject(sampling);
  });

  test("says which variable is wrong, and what it must be", () => {
    expect(
      mistakes({
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
        OTEL_TRACES_EXPORTER: "zipkin",
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "1.1",
        OTEL_BSP_MAX_QUEUE_SIZE: "0",
      }),
    ).toEqual([
      "OTEL_BSP_MAX_QUEUE_SIZE must be an integer from 1 to 100000",
      "OTEL_TRACES_EXPORTER must be one of otlp, none",
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf; with OTEL_TRACES_EXPORTER=none no spans are made",
      "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL beginning with https:// or http://",
      "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.1",
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf; with OTEL_METRICS_EXPORTER=none no metrics are sent",
    ]);
    expect(mistakes({ ...ENDPOINT, OTEL_TRACES_SAMPLER: "jaeger_remote" })).toHaveLength(1);
    for (const share of ["-1", "1e-3", "a", "0.1x", "NaN"]) {
      const env = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: share };
      expect(mistakes({ ...ENDPOINT, ...env })).toHaveLength(1);
    }
  });

  test("the protocol of traces alone comes before that of all signals", () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf", OTEL_METRICS_EXPORTER: "none" };
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", ...own };
    expect(tracing(env)).not.toBeNull();
  });
});

describe("metrics for a collector", () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  const otlpMetrics = (env: Environment) => readConfig({ ...ENDPOINT, ...env }).otlpMetrics;

  test("are sent where an endpoint is named, by the defaults of OpenTelemetry's specification", () => {
    expect(readConfig({ OTEL_METRICS_EXPORTER: "?" }).otlpMetrics).toBeNull();
    expect(otlpMetrics({})).toEqual({
      url: "http://collector:4318/v1/metrics",
      intervalMs: 60_000,
      timeoutMs: 30_000,
    });
    const OTEL_EXPORTER_OTLP_METRICS_ENDPOINT = "https://m.example/in";
    expect(otlpMetrics({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT })?.url).toBe("https://m.example/in");
  });

  test.each<Environment>([{ OTEL_SDK_DISABLED: "true" }, { OTEL_METRICS_EXPORTER: "none" }])(
    "are not sent where that is switched off: %o",
    (env) => {
      expect(otlpMetrics(env)).toBeNull();
    },
  );

  test("are not sent to an endpoint that is only for traces", () => {
    expect(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector/t" }).otlpMetrics).toBeNull();
  });

  test("a timeout beyond the interval is cut to it", () => {
    expect(otlpMetrics({ OTEL_METRIC_EXPORT_INTERVAL: "5000" })).toMatchObject({ intervalMs: 5_000, timeoutMs: 5_000 });
  });

  test("wrong variables are named, with what they must be", () => {
    expect(
      mistakes({
        ...ENDPOINT,
        OTEL_METRICS_EXPORTER: "prometheus",
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta",
        OTEL_METRIC_EXPORT_INTERVAL: "10",
      }),
    ).toEqual([
      "OTEL_METRIC_EXPORT_INTERVAL must be an integer from 1000 to 3600000",
      "OTEL_METRICS_EXPORTER must be one of otlp, none",
      "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL must be http/protobuf; with OTEL_METRICS_EXPORTER=none no metrics are sent",
      "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE must be cumulative; a collector can convert it (cumulativetodelta)",
    ]);
  });
});
