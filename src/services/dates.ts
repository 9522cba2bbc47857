import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** An instant for a message; absent where there is none. */
export function toTimestamp(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}

/** An instant from a message, to the millisecond that has begun: rounded up, a key would live longer than was asked. */
export function toDate(timestamp: Timestamp | undefined): Date | null {
  if (timestamp === undefined) return null;
  return new Date(Number(timestamp.seconds) * 1_000 + Math.floor(timestamp.nanos / 1_000_000));
}
