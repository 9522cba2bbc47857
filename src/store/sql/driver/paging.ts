import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";

/**
 * A row of a list, with the number of all rows. One statement returns both: with two, the number could contradict the
 * rows while others are inserted. A page past the end is one row with the number and without an id.
 *
 * Such a statement first finds the places of the page in an index, and then joins the rows to them. Otherwise it would
 * compute the columns of every row that it skips.
 */
export type Listed<Row, Id extends keyof Row> = { readonly total: number } & (Row | { readonly [Name in Id]: null });

export function pageOf<Row extends { readonly total: number }, Item>(
  rows: readonly Row[],
  itemOf: (row: Row) => readonly Item[],
): Page<Item> {
  return { items: rows.flatMap(itemOf), total: rows[0]?.total ?? 0 };
}

/** The number of rows before the page. A bigint, because a page number of 2^31 times 100 rows exceeds `int`. */
export function offsetOf({ page, perPage }: PageRequest): bigint {
  return (BigInt(page) - 1n) * BigInt(perPage);
}
