import type { Reader } from "./reader.ts";

/** What is sent to a collector, each with variables of its own. */
const SIGNALS = {
  traces: {
    endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    exporter: "OTEL_TRACES_EXPORTER",
    withoutIt: "no spans are made",
  },
  metrics: {
    endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    exporter: "OTEL_METRICS_EXPORTER",
    withoutIt: "no metrics are sent",
  },
} as const;

/**
 * The URL to which a signal is sent. Null: it is not sent, since no endpoint is named or a standard switch turns it off.
 * OpenTelemetry itself reads how it is sent, such as `OTEL_EXPORTER_OTLP_HEADERS`, and what sends it (ADR 15).
 */
export function readOtlpUrl(reader: Reader, signal: keyof typeof SIGNALS): string | null {
  const { endpoint, protocol, exporter, withoutIt } = SIGNALS[signal];
  const isDisabled = reader.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const isExact = reader.text(endpoint) !== undefined;
  if (isDisabled || !(isExact || reader.text("OTEL_EXPORTER_OTLP_ENDPOINT") !== undefined)) return null;
  if (reader.oneOf(exporter, ["otlp", "none"]) === "none") return null;
  const named = [protocol, "OTEL_EXPORTER_OTLP_PROTOCOL"].find((name) => reader.text(name) !== undefined);
  if (named !== undefined && reader.text(named) !== "http/protobuf")
    reader.refuse(named, `must be http/protobuf; with ${exporter}=none ${withoutIt}`);
  // The endpoint of a signal is used unchanged. The path is appended to the endpoint of all signals.
  if (isExact) return reader.url(endpoint, ["https:", "http:"]) ?? "";
  const url = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT", ["https:", "http:"]) ?? "";
  return `${url.replace(/\/$/, "")}/v1/${signal}`;
}
