import { readOtlpUrl } from "./otlp.ts";
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
  const url = readOtlpUrl(reader, "traces");
  if (url === null) return null;
  const isInFile = HEADERS.some((name) => reader.fromFile(name) !== undefined);
  return { url, ...(isInFile && { headers: readHeaders(reader) }), ...readSampling(reader), queue };
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

function readSampling(reader: Reader): Pick<TracingConfig, "followsParent" | "sampledShare"> {
  const sampler = reader.oneOf("OTEL_TRACES_SAMPLER", SAMPLERS) ?? "parentbased_always_on";
  const share = sampler.endsWith("traceidratio") ? reader.share("OTEL_TRACES_SAMPLER_ARG") : undefined;
  return { followsParent: sampler.startsWith("parentbased"), sampledShare: sampler.endsWith("off") ? 0 : (share ?? 1) };
}
