import { percentDecoded, type Reader } from "./reader.ts";

/** The signals for a collector, each with variables of its own. */
const SIGNALS = {
  traces: {
    endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    headers: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    exporter: "OTEL_TRACES_EXPORTER",
    withoutIt: "no spans are made",
  },
  metrics: {
    endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    headers: "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    exporter: "OTEL_METRICS_EXPORTER",
    withoutIt: "no metrics are sent",
  },
} as const;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/**
 * The URL to which a signal is sent. Null: it is not sent, since no endpoint is named or a standard switch turns it off.
 * OpenTelemetry itself reads how it is sent, such as headers that are not in files, and what sends it (ADR 15).
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

/**
 * The headers of a signal's exports that are in files; those of the signal before those of all signals. Empty: there are no
 * such files, and OpenTelemetry itself reads the variables.
 */
export function readOtlpHeaders(
  reader: Reader,
  signal: keyof typeof SIGNALS,
): { readonly headers?: Readonly<Record<string, string>> } {
  const names = ["OTEL_EXPORTER_OTLP_HEADERS", SIGNALS[signal].headers].filter(
    (name) => reader.fromFile(name) !== undefined,
  );
  return names.length === 0 ? {} : { headers: Object.assign({}, ...names.map((name) => headersIn(reader, name))) };
}

/** `name=value,name=value`, the values percent-encoded. */
function headersIn(reader: Reader, name: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of (reader.fromFile(name) ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const [key = "", ...rest] = pair.split("=");
    const value = percentDecoded(rest.join("=").trim());
    if (!HEADER_NAME.test(key.trim()) || value === undefined || !HEADER_VALUE.test(value)) {
      reader.refuse(name, "must name a file with name=value,name=value, the values percent-encoded");
      return {};
    }
    headers[key.trim()] = value;
  }
  return headers;
}
