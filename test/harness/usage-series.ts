import type { JsonObject } from "./http.ts";

/** Steps with a use, by when they begin. */
export function usedSteps(series: JsonObject[]): Record<string, JsonObject> {
  const used = series.filter(({ successful, denied }) => successful > 0 || Object.keys(denied).length > 0);
  return Object.fromEntries(used.map(({ from, ...counts }) => [from, counts]));
}

/** The uses of a series by their outcome: `{"successful": 3, "rate_limited": 1}`. */
export function outcomesOf(series: JsonObject[]): Record<string, number> {
  const outcomes: Record<string, number> = {};
  for (const { successful, denied } of series) {
    for (const [outcome, count] of [["successful", successful], ...Object.entries(denied)]) {
      if (count > 0) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    }
  }
  return outcomes;
}

/** The counters that a series adds up to. */
export function countersOf(series: JsonObject[]): Record<string, number> {
  const { successful = 0, ...denied } = outcomesOf(series);
  const failed = Object.values(denied).reduce((sum, count) => sum + count, 0);
  return {
    total_verifications: successful + failed,
    successful_verifications: successful,
    failed_verifications: failed,
  };
}
