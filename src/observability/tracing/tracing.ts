import { setTimeout as sleep } from "node:timers/promises";
import { ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TracingConfig } from "../../config/settings.ts";
import type { Assistant } from "../../domain/ports/assistant.ts";
import type { RequestSpans } from "../log/access-log.ts";
import { type TracedModel, traceAssistant } from "./assistant-spans.ts";
import { createRequestSpans } from "./request-spans.ts";

export interface Tracing {
  readonly requests: RequestSpans;
  /** The same assistant, each of whose calls is a span. */
  trace(assistant: Assistant, model: TracedModel): Assistant;
  /** Sends the spans that wait, for as long as that takes, but for 2 s at most. Never throws. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Sends spans to a collector by OTLP. The only code that knows OpenTelemetry, loaded only where a collector is named.
 *
 * Nothing is registered globally and nothing is instrumented: a span is made of what is known when a request, or a call
 * of the assistant, has ended. An answer never waits for any of it.
 */
export function startTracing(config: TracingConfig, log: Logger): Tracing {
  const exporter = logChanges(new OTLPTraceExporter({ url: config.url }), log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "latchkey" }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...config.queue })],
  });
  const tracer = provider.getTracer("latchkey");
  return {
    requests: createRequestSpans(tracer),
    trace: (assistant, model) => traceAssistant(tracer, assistant, model),
    async close() {
      // What could not be sent is in the log already.
      const closed = provider.shutdown().catch(() => {});
      await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

function createSampler({ followsParent, sampledShare }: TracingConfig): Sampler {
  const root = new TraceIdRatioBasedSampler(sampledShare);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

/** The same exporter, with a line in the log when the collector goes away and one when it is back. */
function logChanges(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS;
        if (fails && !isAway) log.warn({ err: result.error }, "spans cannot be exported, and are dropped");
        if (!fails && isAway) log.info("spans are exported again");
        isAway = fails;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
