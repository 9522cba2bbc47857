import { expect, test } from "vitest";
import type { UsagePeriod } from "./period.ts";
import { topKeys } from "./top-keys.ts";

test("a list has ten keys, or as many as are asked for, and 100 at most", async () => {
  const period: UsagePeriod = { step: "hour", from: new Date(0), to: new Date(3_600_000) };
  const asked: number[] = [];
  const history = {
    readTopKeys: async (_tenantId: string, _period: UsagePeriod, most: number) => {
      asked.push(most);
      return [];
    },
  };
  for (const perPage of [0, 1, 10, 100, 101, 2_147_483_647]) await topKeys(history, "ten_1", period, perPage);
  expect(asked).toEqual([10, 1, 10, 100, 100, 100]);
});
