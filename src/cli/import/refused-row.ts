import type { ImportRow } from "./import-row.ts";

/** The reason for a refusal: the service's outcome, or the reader's problem. */
export interface Refusal {
  readonly reason?: string;
  readonly field?: string;
  readonly message: string;
}

/** A text in JSON, with its quotes. */
const TEXT = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)/g;
/** A character that begins a formula, also in full width, where a cell could begin: behind a quote, a separator or a space. */
const FORMULA = /(?<=["'\s,;|([]|\\[bfnrt])[=+\-@\uff0b\uff0d\uff1d\uff20]/g;

/**
 * One line of the file of refused rows, without its line feed. `latchkey keys import --from latchkey` reads the file again: of each
 * object it takes the row, and ignores `line` and `refused`. A record that could not be read has no row, only its line.
 *
 * It is NDJSON because rows have lists and objects, and a digest in base64url may begin with `-`: CSV would have to change such
 * values so that no spreadsheet runs them, and an import would have to guess which ones were changed. JSON can write any character
 * as `\u003d`. So no cell begins with a formula, wherever a spreadsheet splits the line, and each value comes back as it was.
 *
 * Rows of `--send-keys` have the keys themselves: write the file for its owner only.
 */
export function refusedRow(line: number, refused: Refusal, row: ImportRow = {}): string {
  return withoutFormulas({ line, refused, ...row });
}

/** A value as JSON in which no spreadsheet finds a formula. */
export function withoutFormulas(value: object): string {
  return JSON.stringify(value).replace(TEXT, (text) => text.replace(FORMULA, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
