import { readOtlpHeaders, readOtlpUrl } from "./otlp.ts";
import type { Reader } from "./reader.ts";
import type { OtlpMetricsConfig } from "./settings.ts";

const TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";

/** The metrics of `/metrics`, sent to a collector as well. An endpoint turns that on, as it does for traces. */
export function readOtlpMetrics(reader: Reader): OtlpMetricsConfig | null {
  const intervalMs = reader.integer("OTEL_METRIC_EXPORT_INTERVAL", 1_000, 3_600_000) ?? 60_000;
  const timeoutMs = reader.integer("OTEL_METRIC_EXPORT_TIMEOUT", 1, 3_600_000) ?? 30_000;
  const url = readOtlpUrl(reader, "metrics");
  if (url === null) return null;
  // The counters are those of the scrape endpoint, which count from the start of the process.
  if ((reader.text(TEMPORALITY) ?? "cumulative").toLowerCase() !== "cumulative")
    reader.refuse(TEMPORALITY, "must be cumulative; a collector can convert it (cumulativetodelta)");
  const headers = readOtlpHeaders(reader, "metrics");
  return { url, ...headers, intervalMs, timeoutMs: Math.min(timeoutMs, intervalMs) };
}
