import { setTimeout as sleep } from "node:timers/promises";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TracingConfig } from "../../config/settings.ts";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import type { RequestSpans } from "../log/access-log.ts";
import { logExportChanges } from "../otlp/export-changes.ts";
import { ownResource } from "../otlp/resource.ts";
import { type TracedModel, traceAssistant } from "./assistant-spans.ts";
import { createRequestSpans } from "./request-spans.ts";

export interface Tracing {
  readonly requests: RequestSpans;
  /** Wraps an assistant so that each call makes a span. */
  trace(assistant: Assistant, model: TracedModel): Assistant;
  /** Sends the waiting spans, for at most 2 s. Never throws. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Sends spans to a collector by OTLP. OpenTelemetry is loaded only if a collector is configured.
 *
 * It registers nothing globally and instruments nothing: a span is recorded when a request, or a call of the assistant, has
 * ended. Responses never wait for tracing. `headers` is called for each export.
 */
export function startTracing(config: TracingConfig, log: Logger, headers = () => config.headers): Tracing {
  const exporter = new OTLPTraceExporter({
    url: config.url,
    ...(config.headers && { headers: async () => ({ ...headers() }) }),
  });
  logExportChanges("spans", exporter, log);
  const provider = new TracerProvider({
    resource: ownResource(),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...config.queue })],
  });
  const tracer = provider.getTracer("latchkey");
  return {
    requests: createRequestSpans(tracer),
    trace: (assistant, model) => traceAssistant(tracer, assistant, model),
    async close() {
      // Failures to send are logged already.
      const closed = provider.shutdown().catch(() => {});
      await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

function createSampler({ followsParent, sampledShare }: TracingConfig): Sampler {
  const root = new TraceIdRatioBasedSampler(sampledShare);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}
