import type { PageRequest } from "../../domain/page.ts";

/** Rows before the page. A bigint, since a page number of 2^31 times 100 rows is beyond `int`. */
export function offsetOf({ page, perPage }: PageRequest): bigint {
  return (BigInt(page) - 1n) * BigInt(perPage);
}
