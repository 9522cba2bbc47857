import { setTimeout as sleep } from "node:timers/promises";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { OtlpMetricsConfig } from "../../config/settings.ts";
import { logExportChanges } from "./export-changes.ts";
import { createRegistryProducer } from "./registry-producer.ts";
import { ownResource } from "./resource.ts";

const CLOSE_TIMEOUT_MS = 2_000;

export interface MetricsExportContext {
  readonly metrics: Registry;
  readonly log: Logger;
  /** Called for each export. Default: the configured ones. */
  readonly headers?: () => OtlpMetricsConfig["headers"];
}

/** Sends the metrics of the scrape endpoint to a collector by OTLP. It is loaded only if a collector is configured. */
export function startMetricsExport(
  { url, intervalMs, timeoutMs, headers: initial }: OtlpMetricsConfig,
  { metrics, log, headers = () => initial }: MetricsExportContext,
): { close(): Promise<void> } {
  const resource = ownResource();
  const exporter = new OTLPMetricExporter({ url, ...(initial && { headers: async () => ({ ...headers() }) }) });
  logExportChanges("metrics", exporter, log);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [createRegistryProducer(metrics, resource)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    /** Sends the metrics once more, for at most 2 s. Never rejects. */
    async close() {
      // Failures to send are logged already.
      const closed = provider.shutdown().catch(() => {});
      await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
