import { expect, test } from "vitest";
import { pageRequest, pagination } from "./page.ts";

test("a page is the first of 20 items, unless another is named, and has at most 100", () => {
  expect(pageRequest(0, 0)).toEqual({ page: 1, perPage: 20 });
  expect(pageRequest(3, 7)).toEqual({ page: 3, perPage: 7 });
  expect(pageRequest(1, 100)).toEqual({ page: 1, perPage: 100 });
  expect(pageRequest(1, 101)).toEqual({ page: 1, perPage: 100 });
});

test.each([
  [0, 0],
  [1, 1],
  [20, 1],
  [21, 2],
])("%i items are on %i pages of 20", (total, totalPages) => {
  expect(pagination({ page: 1, perPage: 20 }, total)).toEqual({ page: 1, perPage: 20, total, totalPages });
});
