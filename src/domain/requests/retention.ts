import type { RequestLog } from "./request-log.ts";

const DAY_MS = 86_400_000;
/** Rows of one statement, which takes some milliseconds. */
const ROWS_MAX = 1_000;

/** Removes a piece of the requests that are more than `days` days old. Resolves with whether more may be left. */
export async function removeOldRequests(
  log: Pick<RequestLog, "removeBefore">,
  days: number,
  now: Date,
): Promise<boolean> {
  return (await log.removeBefore(new Date(now.getTime() - days * DAY_MS), ROWS_MAX)) === ROWS_MAX;
}
