/**
 * A row's metadata holds at most 4 KiB, and a consumer of Kong a few keys. A longer record is refused while it is read: it is never
 * held in memory.
 */
export const RECORD_BYTES_MAX = 1_048_576;
export const TOO_LONG = { message: "is longer than 1 MiB" } as const;
/** Of CSV. Tables of keys have fewer than 50. */
export const COLUMNS_MAX = 1_000;
