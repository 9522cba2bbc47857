import { expect, test } from "vitest";
import { removeOldConversations } from "./retention.ts";

const NOW = new Date("2028-03-01T12:00:00.123Z");

test.each([
  [1, "2028-02-29T12:00:00.123Z"],
  [30, "2028-01-31T12:00:00.123Z"],
  [3_650, "2018-03-04T12:00:00.123Z"],
])("with %i days all before that instant is removed, to the millisecond", async (days, instant) => {
  const removed: string[] = [];
  const removeBefore = async (before: Date) => {
    removed.push(before.toISOString());
    return true;
  };
  expect(await removeOldConversations({ removeBefore }, days, NOW)).toBe(true);
  expect(removed).toEqual([instant]);
});
