import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { useNow } from "./now.ts";

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
/** Seconds by which the service's clock may be ahead of the reader's: what has just happened is not to come. */
const CLOCKS_APART_S = 10;
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const EXACT = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** An instant in words, such as `3 days ago`, which move on; with the exact time on hover and for programs. */
export function Time({ at, absent = "never" }: { at: Timestamp | Date | undefined; absent?: string }) {
  const now = useNow();
  if (at === undefined) return <span className="quiet">{absent}</span>;
  const date = at instanceof Date ? at : timestampDate(at);
  return (
    <time dateTime={date.toISOString()} title={exactly(date)}>
      {inWords(date, now)}
    </time>
  );
}

export function inWords(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1_000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.round(seconds / length), unit);
  }
  return seconds > CLOCKS_APART_S ? "in less than a minute" : "just now";
}

/** In the time zone of the reader. */
export function exactly(date: Date): string {
  return EXACT.format(date);
}
