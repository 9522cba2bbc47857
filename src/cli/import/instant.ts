import { RowProblem } from "./read-result.ts";

/** How a source writes an instant, beside RFC 3339 with a zone. */
export interface InstantForm {
  /** The unit of a number, counted from 1970. Absent: the source has no numbers. */
  readonly epoch?: "seconds" | "milliseconds";
  /** A time without a zone is in UTC. Absent: it could be in any, so it is refused. */
  readonly isUtc?: boolean;
}

const FORM =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)? ?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;
const DIGITS = /^\d{1,16}$/;
const UNITS_MS = { seconds: 1_000, milliseconds: 1 } as const;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const EXAMPLE = "2030-01-31T12:00:00Z";

/** The instant in RFC 3339, in UTC and with milliseconds. Throws `RowProblem`. */
export function instantOf(member: string, value: unknown, { epoch, isUtc = false }: InstantForm): string {
  const isNumber = typeof value === "number" || (typeof value === "string" && DIGITS.test(value));
  if (isNumber && epoch !== undefined) return inRange(member, Number(value) * UNITS_MS[epoch]);
  const parts = typeof value === "string" ? FORM.exec(value.trim()) : null;
  if (parts === null) throw new RowProblem(member, `must be an instant such as ${EXAMPLE}`);
  const [, day = "", hours = "00", minutes = "00", seconds = "00", fraction = "", zone = isUtc ? "Z" : undefined] =
    parts;
  if (zone === undefined) throw new RowProblem(member, `has no time zone; write it as ${EXAMPLE}`);
  const midnight = new Date(`${day}T00:00:00Z`);
  // A Date takes 30 February for 2 March.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  const millis = fraction.slice(0, 3).padEnd(3, "0");
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${millis}${zoneOf(zone)}`);
  return inRange(member, isDay && hours !== "24" ? at : Number.NaN);
}

/** `+02:00` for `+02` and `+0200`, as PostgreSQL and MySQL write it. */
function zoneOf(zone: string): string {
  if (zone.length === 1) return "Z";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

function inRange(member: string, at: number): string {
  if (!(at >= 0 && at <= LAST_MS)) throw new RowProblem(member, "is not an instant from 1970 to 9999");
  return new Date(at).toISOString();
}
