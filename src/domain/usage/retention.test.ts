import { expect, test } from "vitest";
import { removeOldUsage } from "./retention.ts";

test("hours are kept until they ended more than the days ago, and go in pieces of 1,000 rows", async () => {
  const asked: [string, number][] = [];
  let left = 2_500;
  const removeBefore = async (instant: Date, most: number): Promise<number> => {
    asked.push([instant.toISOString(), most]);
    const removed = Math.min(left, most);
    left -= removed;
    return removed;
  };
  const now = new Date("2027-01-15T08:30:00Z");
  const remove = () => removeOldUsage({ removeBefore }, 90, now);
  expect([await remove(), await remove(), await remove(), await remove()]).toEqual([true, true, false, false]);
  expect(new Set(asked.map(([instant, most]) => `${instant} ${most}`))).toEqual(
    new Set(["2026-10-17T08:00:00.000Z 1000"]),
  );
});
