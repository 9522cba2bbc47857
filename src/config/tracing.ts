import { percentDecoded, type Reader } from "./reader.ts";
import type { TracingConfig } from "./settings.ts";

/** The samplers of OpenTelemetry's specification. */
const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/**
 * An endpoint turns tracing on, unless one of the two standard switches turns it off. OpenTelemetry itself reads how spans
 * are sent, such as `OTEL_EXPORTER_OTLP_HEADERS`, and the resource that sends them (ADR 15).
 */
export function readTracing(reader: Reader): TracingConfig | null {
  const queue = {
    maxQueueSize: reader.integer("OTEL_BSP_MAX_QUEUE_SIZE", 1, 100_000) ?? 2_048,
    maxExportBatchSize: reader.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 10_000) ?? 512,
    scheduledDelayMillis: reader.integer("OTEL_BSP_SCHEDULE_DELAY", 1, 600_000) ?? 5_000,
    exportTimeoutMillis: reader.integer("OTEL_BSP_EXPORT_TIMEOUT", 1, 600_000) ?? 30_000,
  };
  const isDisabled = reader.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const exact = reader.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (isDisabled || (exact ?? reader.text("OTEL_EXPORTER_OTLP_ENDPOINT")) === undefined) return null;
  if (reader.oneOf("OTEL_TRACES_EXPORTER", ["otlp", "none"]) === "none") return null;
  const protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const;
  const protocol = protocols.find((name) => reader.text(name) !== undefined);
  if (protocol !== undefined && reader.text(protocol) !== "http/protobuf") {
    reader.refuse(protocol, "must be http/protobuf; with OTEL_TRACES_EXPORTER=none no spans are made");
  }
  return {
    url: readTracesUrl(reader, exact !== undefined),
    ...(HEADERS.some((name) => reader.fromFile(name) !== undefined) && { headers: readHeaders(reader) }),
    ...readSampling(reader),
    queue,
  };
}

const HEADERS = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] as const;

/** The headers in files. Those of traces take precedence, as OpenTelemetry specifies it. */
export function readHeaders(reader: Reader): Record<string, string> {
  return Object.assign({}, ...HEADERS.map((name) => headersIn(reader, name)));
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

/** The path is appended to the endpoint of all signals. The endpoint of traces is used unchanged. */
function readTracesUrl(reader: Reader, isExact: boolean): string {
  if (isExact) return reader.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ["https:", "http:"]) ?? "";
  const url = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT", ["https:", "http:"]) ?? "";
  return `${url.replace(/\/$/, "")}/v1/traces`;
}

function readSampling(reader: Reader): Pick<TracingConfig, "followsParent" | "sampledShare"> {
  const sampler = reader.oneOf("OTEL_TRACES_SAMPLER", SAMPLERS) ?? "parentbased_always_on";
  const share = sampler.endsWith("traceidratio") ? reader.share("OTEL_TRACES_SAMPLER_ARG") : undefined;
  return { followsParent: sampler.startsWith("parentbased"), sampledShare: sampler.endsWith("off") ? 0 : (share ?? 1) };
}
