import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";

/** A piece of work that has just ended. */
export interface EndedWork {
  readonly name: string;
  readonly kind: SpanKind;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly isFault: boolean;
  /** Undefined: the span has no parent. */
  readonly parent?: Context;
}

/** Records a whole span that ends now, and returns the id of its trace, sampled or not. */
export function recordSpan(tracer: Tracer, work: EndedWork): string {
  const { name, kind, durationMs, attributes, isFault, parent = ROOT_CONTEXT } = work;
  const endTime = Date.now();
  const span = tracer.startSpan(name, { kind, attributes, startTime: endTime - durationMs }, parent);
  if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endTime);
  return span.spanContext().traceId;
}
