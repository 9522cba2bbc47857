import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";

/** What has just ended, as it is told. */
export interface EndedWork {
  readonly name: string;
  readonly kind: SpanKind;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly isFault: boolean;
  /** What it was part of; left out: of nothing. */
  readonly parent?: Context;
}

/** Makes the whole span of what ends now, and answers the id of its trace, whether it is sampled or not. */
export function recordSpan(tracer: Tracer, work: EndedWork): string {
  const { name, kind, durationMs, attributes, isFault, parent = ROOT_CONTEXT } = work;
  const endTime = Date.now();
  const span = tracer.startSpan(name, { kind, attributes, startTime: endTime - durationMs }, parent);
  if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endTime);
  return span.spanContext().traceId;
}
