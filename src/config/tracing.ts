import { readOtlpHeaders, readOtlpUrl } from "./otlp.ts";
import type { Reader } from "./reader.ts";
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

/** An endpoint turns tracing on, unless one of the two standard switches turns it off. */
export function readTracing(reader: Reader): TracingConfig | null {
  const queue = {
    maxQueueSize: reader.integer("OTEL_BSP_MAX_QUEUE_SIZE", 1, 100_000) ?? 2_048,
    maxExportBatchSize: reader.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 10_000) ?? 512,
    scheduledDelayMillis: reader.integer("OTEL_BSP_SCHEDULE_DELAY", 1, 600_000) ?? 5_000,
    exportTimeoutMillis: reader.integer("OTEL_BSP_EXPORT_TIMEOUT", 1, 600_000) ?? 30_000,
  };
  const url = readOtlpUrl(reader, "traces");
  return url === null ? null : { url, ...readOtlpHeaders(reader, "traces"), ...readSampling(reader), queue };
}

function readSampling(reader: Reader): Pick<TracingConfig, "followsParent" | "sampledShare"> {
  const sampler = reader.oneOf("OTEL_TRACES_SAMPLER", SAMPLERS) ?? "parentbased_always_on";
  const share = sampler.endsWith("traceidratio") ? reader.share("OTEL_TRACES_SAMPLER_ARG") : undefined;
  return { followsParent: sampler.startsWith("parentbased"), sampledShare: sampler.endsWith("off") ? 0 : (share ?? 1) };
}
