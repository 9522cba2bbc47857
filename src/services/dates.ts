import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** An instant for a message. Null becomes an absent field. */
export function toTimestamp(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}

/** An instant from a message, rounded down to a millisecond: rounded up, a key would live longer than requested. */
export function toDate(timestamp: Timestamp | undefined): Date | null {
  if (timestamp === undefined) return null;
  return new Date(Number(timestamp.seconds) * 1_000 + Math.floor(timestamp.nanos / 1_000_000));
}
