import type { Page, PageRequest } from "../../domain/page.ts";

/**
 * A row of a list, with the number of all rows. Both come from one statement: from two, the number would contradict the
 * rows while others are made. A page past the end is one row that has the number and no id.
 *
 * Such a statement finds the places of the page first, in an index, and joins the rows to them: what a row takes to be
 * shown would otherwise be worked out for every row that is passed over.
 */
export type Listed<Row, Id extends keyof Row> = { readonly total: number } & (Row | { readonly [Name in Id]: null });

export function pageOf<Row extends { readonly total: number }, Item>(
  rows: readonly Row[],
  itemOf: (row: Row) => readonly Item[],
): Page<Item> {
  return { items: rows.flatMap(itemOf), total: rows[0]?.total ?? 0 };
}

/** Rows before the page. A bigint, since a page number of 2^31 times 100 rows is beyond `int`. */
export function offsetOf({ page, perPage }: PageRequest): bigint {
  return (BigInt(page) - 1n) * BigInt(perPage);
}
