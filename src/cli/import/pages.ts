import type { ReadRow } from "./read-result.ts";

/** The most rows of a call. */
const ROWS_MAX = 1_000;
/** A request has at most 1 MiB. */
const BYTES_MAX = 900_000;

/** Rows and problems of a file in pages, each of which is one call. */
export async function* pagesOf(read: AsyncIterable<ReadRow>): AsyncGenerator<readonly ReadRow[]> {
  let page: ReadRow[] = [];
  let bytes = 0;
  for await (const each of read) {
    const size = Buffer.byteLength(JSON.stringify(each.row ?? ""));
    if (page.length === ROWS_MAX || (bytes + size > BYTES_MAX && page.length > 0)) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(each);
    bytes += size;
  }
  if (page.length > 0) yield page;
}
