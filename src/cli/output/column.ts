/** How a cell is coloured on a terminal: `good`, `bad`, or `faint` for what is over. */
export type Tone = "good" | "bad" | "faint";

/** One column of a table, which is also one line of a record. */
export interface Column<Row> {
  /** In lower case with underscores, as the API's JSON names the field. */
  readonly name: string;
  /** The cell. Empty where there is nothing to show. */
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | undefined;
  /** Whether the cell may be shortened where the terminal is narrow. Identifiers may not. Default: false. */
  readonly shrinks?: true;
  /** Only in a record, not in a table. */
  readonly onlyInRecord?: true;
}
