import { InvalidArgumentError } from "commander";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,6})([mhd])$/;
/** As RFC 3339 has it: with a time zone, since a date alone would mean another instant at each place. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** An instant to come: `2030-01-31T12:00:00Z`, or so long from now: `30m`, `12h`, `90d`. */
export function parseFuture(text: string, now: Date = new Date()): Date {
  return parse(text, 1, now, "2030-01-31T12:00:00Z, or 30m, 12h or 90d from now");
}

/** An instant that was: `2030-01-31T12:00:00Z`, or so long ago: `30m`, `12h`, `90d`. */
export function parsePast(text: string, now: Date = new Date()): Date {
  return parse(text, -1, now, "2030-01-31T12:00:00Z, or an age such as 30m, 12h or 90d");
}

function parse(text: string, direction: 1 | -1, now: Date, examples: string): Date {
  const [, count = "", unit = ""] = DURATION.exec(text) ?? [];
  if (isUnit(unit)) return new Date(now.getTime() + direction * Number(count) * UNITS_MS[unit]);
  const instant = new Date(INSTANT.test(text) ? text : Number.NaN);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError(`It must be an instant such as ${examples}.`);
}

function isUnit(text: string): text is keyof typeof UNITS_MS {
  return Object.hasOwn(UNITS_MS, text);
}
