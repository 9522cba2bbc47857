import stringWidth from "string-width";
import type { Column, Tone } from "./column.ts";
import { printable } from "./printable.ts";

/** Colours a text, or returns it as it is where colours are off. */
export type Paint = (style: Tone | "head", text: string) => string;

export interface Layout {
  /** Columns of the terminal; infinite where the output is not a terminal. */
  readonly width: number;
  readonly paint: Paint;
}

const GAP = "  ";
/** A cell that may be shortened keeps at least so much. */
const SHRUNK_MIN = 10;
const ELLIPSIS = "…";

/**
 * The rows as a table, one line for each. Where the terminal is too narrow, long cells that may be shortened end in `…`;
 * where that is not enough, each row is a record, so that nothing is lost. Every line ends in a line feed.
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { width, paint }: Layout): string {
  const shown = columns.filter(({ onlyInRecord }) => !onlyInRecord);
  const cells = rows.map((row) => shown.map(({ text }) => printable(text(row))));
  const wanted = shown.map(({ name }, n) => Math.max(stringWidth(name), ...cells.map((line) => widthAt(line, n))));
  const widths = fitted(wanted, shown, width);
  if (widths === undefined) {
    return rows
      .map((row) =>
        record(
          row,
          columns.filter(({ onlyInRecord }) => !onlyInRecord),
          { width, paint },
        ),
      )
      .join("\n");
  }
  const head = line(
    shown.map(({ name }, n) => ({ text: name.toUpperCase(), width: widths[n] ?? 0, style: "head" })),
    paint,
  );
  const lines = rows.map((row, r) =>
    line(
      shown.map(({ tone }, n) => ({ text: cells[r]?.[n] ?? "", width: widths[n] ?? 0, style: tone?.(row) })),
      paint,
    ),
  );
  return [head, ...lines].join("");
}

/** One item, a line for each field that it has. */
export function record<Row>(row: Row, columns: readonly Column<Row>[], { paint }: Layout): string {
  const nameWidth = Math.max(0, ...columns.map(({ name }) => name.length));
  return columns
    .map(({ name, text, tone }) => ({ name, text: printable(text(row)), style: tone?.(row) }))
    .filter(({ text }) => text !== "")
    .map(({ name, text, style }) =>
      line(
        [
          { text: name, width: nameWidth, style: "head" },
          { text, width: 0, style },
        ],
        paint,
      ),
    )
    .join("");
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly style: Parameters<Paint>[0] | undefined;
}

function line(cells: readonly Cell[], paint: Paint): string {
  const last = cells.findLastIndex(({ text }) => text !== "");
  const parts = cells.slice(0, last + 1).map(({ text, width, style }, n) => {
    const short = n === cells.length - 1 && width === 0 ? text : shortened(text, width);
    const padding = n === last ? "" : " ".repeat(Math.max(0, width - stringWidth(short)));
    return (style === undefined || short === "" ? short : paint(style, short)) + padding;
  });
  return `${parts.join(GAP)}\n`;
}

/** The width of each column so that a line fits. Undefined: it does not. */
function fitted<Row>(wanted: readonly number[], columns: readonly Column<Row>[], width: number): number[] | undefined {
  const widths = [...wanted];
  const gaps = GAP.length * (widths.length - 1);
  for (let excess = sum(widths) + gaps - width; excess > 0; excess--) {
    const widest = columns.reduce<number | undefined>((best, { name, shrinks }, n) => {
      const mayShrink = shrinks && (widths[n] ?? 0) > Math.max(SHRUNK_MIN, name.length);
      return mayShrink && (widths[n] ?? 0) > (best === undefined ? 0 : (widths[best] ?? 0)) ? n : best;
    }, undefined);
    if (widest === undefined) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Cut between what people see as characters, of which some take two columns. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}

function widthAt(line: readonly string[], n: number): number {
  return stringWidth(line[n] ?? "");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
