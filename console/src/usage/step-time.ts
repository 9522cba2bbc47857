import type { Unit } from "./period.ts";

/** Steps are hours and days of UTC. An hour has a name in the reader's time zone; a day there is another one. */
const EXACT = {
  hour: new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" }),
  day: new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }),
};
const DAY = {
  hour: new Intl.DateTimeFormat("en", { month: "short", day: "numeric" }),
  day: new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" }),
};
const HOUR = new Intl.DateTimeFormat("en", { hour: "numeric" });

export function stepInWords(from: Date, unit: Unit): string {
  return EXACT[unit].format(from);
}

/** For an axis: midnight is the day's name. */
export function tickOf(at: Date, unit: Unit): string {
  return unit === "day" || at.getHours() === 0 ? DAY[unit].format(at) : HOUR.format(at);
}

export function zoneNote(unit: Unit): string {
  const zone = unit === "day" ? "Days are those of UTC" : `Times are those of ${HOUR.resolvedOptions().timeZone}`;
  return `${zone}. The last ${unit} is not over yet.`;
}
