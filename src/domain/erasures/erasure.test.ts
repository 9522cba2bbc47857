import { expect, test } from "vitest";
import { addRemoved, isNothing } from "./erasure.ts";

test("counts are added by kind, and kinds without any are left out", () => {
  expect(addRemoved({ messages: 2, keys: 0 }, { messages: 3, runs: 1, invitations: 0 })).toEqual({
    messages: 5,
    runs: 1,
  });
  expect(addRemoved({}, {})).toEqual({});
});

test("zeros are nothing", () => {
  expect(isNothing({})).toBe(true);
  expect(isNothing({ messages: 0, keys: 0 })).toBe(true);
  expect(isNothing({ messages: 0, keys: 1 })).toBe(false);
});
