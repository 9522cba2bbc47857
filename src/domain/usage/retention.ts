import type { UsageHistory } from "./usage-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Rows of one statement, which takes some milliseconds. */
const ROWS_MAX = 1_000;

/** Removes a piece of the hours that ended more than `days` days before `now`. Resolves with whether more may be left. */
export async function removeOldUsage(
  history: Pick<UsageHistory, "removeBefore">,
  days: number,
  now: Date,
): Promise<boolean> {
  const keptMs = now.getTime() - days * DAY_MS;
  const oldest = new Date(Math.floor(keptMs / HOUR_MS) * HOUR_MS);
  return (await history.removeBefore(oldest, ROWS_MAX)) === ROWS_MAX;
}
