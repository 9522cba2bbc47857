/** What a program for tables would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A table as text (RFC 4180). A cell that would be a formula gets an apostrophe before it, which such programs do not show. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(cellOf).join(",")).join("\r\n");
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
