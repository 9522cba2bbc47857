import { expect, test } from "vitest";
import { pagesOf } from "./pages.ts";
import type { ReadRow } from "./read-result.ts";

async function sizesOf(rows: number, each: (line: number) => ReadRow): Promise<readonly number[]> {
  async function* read() {
    for (let line = 1; line <= rows; line++) yield each(line);
  }
  const sizes: number[] = [];
  for await (const page of pagesOf(read())) sizes.push(page.length);
  return sizes;
}

test("a page has at most 1,000 rows, and no more than a request can hold", async () => {
  expect(await sizesOf(0, (line) => ({ line, row: {} }))).toEqual([]);
  expect(await sizesOf(2_001, (line) => ({ line, row: { name: "a" } }))).toEqual([1_000, 1_000, 1]);
  expect(await sizesOf(1_001, (line) => ({ line, problem: { message: "is not JSON" } }))).toEqual([1_000, 1]);
  // Of 100 kB each, in UTF-8.
  expect(await sizesOf(20, (line) => ({ line, row: { name: "ä".repeat(50_000) } }))).toEqual([8, 8, 4]);
});
