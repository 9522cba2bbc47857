/** `traceparent` of W3C Trace Context: version, trace, span, flags. Later versions may say more behind them. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace that a request says it is part of; undefined if it names none, or two, or none that is valid. */
export function traceIdIn(traceparent: string | readonly string[] | undefined): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === "00" && more !== undefined ? undefined : traceId;
}
