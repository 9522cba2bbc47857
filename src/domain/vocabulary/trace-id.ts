/** `traceparent` of W3C Trace Context: version, trace, span, flags. Later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The id of the trace that a request belongs to. Undefined: `traceparent` is absent, repeated or invalid. */
export function traceIdIn(traceparent: string | undefined): string | undefined {
  if (traceparent === undefined) return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === "00" && more !== undefined ? undefined : traceId;
}
