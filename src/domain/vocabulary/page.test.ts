// promise: lists.tokens
import { expect, test } from "vitest";
import { askedPage, nextPageToken, pageRequest, pagination } from "./page.ts";

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

test("a token names the next page and its size, and the last page has none", () => {
  const token = nextPageToken({ page: 1, perPage: 20 }, 21);
  expect(askedPage({ page: 0, perPage: 0, pageToken: token })).toEqual({ page: 2, perPage: 20 });
  expect(nextPageToken({ page: 1, perPage: 20 }, 20)).toBe("");
  expect(nextPageToken({ page: 5, perPage: 20 }, 20)).toBe("");
  expect(askedPage({ page: 3, perPage: 7, pageToken: "" })).toEqual({ page: 3, perPage: 7 });
});

test.each(["page.0.20", "page.1.0", "page.1.101", "page.2147483648.1", "1.1", "page.1.1.1", ""])(
  "%j in a token is of no list by pages",
  (text) => {
    const pageToken = Buffer.from(text).toString("base64url") || "?";
    expect(() => askedPage({ page: 0, perPage: 0, pageToken })).toThrow("is not a token of this list");
  },
);
