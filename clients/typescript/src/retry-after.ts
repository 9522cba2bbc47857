/** `Sun, 06 Nov 1994 08:49:37 GMT` or `Sunday, 06-Nov-94 08:49:37 GMT`. A third form, without a zone, is long out of use. */
const HTTP_DATE = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** Whole seconds, as Latchkey says it, or a date, as a proxy may (RFC 9110, 10.2.3). Anything else counts as absent. */
export function retryAfterMs(value: string | null, now: () => number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // Left to itself, `Date.parse` takes "1.5" and "-1" for days long past.
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}
