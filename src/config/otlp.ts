import type { Reader } from "./reader.ts";

/** What is sent to a collector, each with variables of its own. */
type Signal = "TRACES" | "METRICS";

const NOTHING: Readonly<Record<Signal, string>> = { TRACES: "no spans are made", METRICS: "no metrics are sent" };

/**
 * The URL to which a signal is sent. Null: it is not sent, since no endpoint is named or a standard switch turns it off.
 * OpenTelemetry itself reads how it is sent, such as `OTEL_EXPORTER_OTLP_HEADERS`, and what sends it (ADR 15).
 */
export function readOtlpUrl(reader: Reader, signal: Signal): string | null {
  const isDisabled = reader.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const endpoint = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const isExact = reader.text(endpoint) !== undefined;
  const isNamed = isExact || reader.text("OTEL_EXPORTER_OTLP_ENDPOINT") !== undefined;
  if (isDisabled || !isNamed) return null;
  const exporter = `OTEL_${signal}_EXPORTER`;
  if (reader.oneOf(exporter, ["otlp", "none"]) === "none") return null;
  const protocols = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL"];
  const protocol = protocols.find((name) => reader.text(name) !== undefined);
  if (protocol !== undefined && reader.text(protocol) !== "http/protobuf") {
    reader.refuse(protocol, `must be http/protobuf; with ${exporter}=none ${NOTHING[signal]}`);
  }
  if (isExact) return reader.url(endpoint, ["https:", "http:"]) ?? "";
  const url = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT", ["https:", "http:"]) ?? "";
  // The endpoint of a signal is used unchanged. The path is appended to the endpoint of all signals.
  return `${url.replace(/\/$/, "")}/v1/${signal.toLowerCase()}`;
}
