import type { Problem } from "../read-result.ts";
import { COLUMNS_MAX, RECORD_BYTES_MAX, TOO_LONG } from "./bounds.ts";
import type { Latin1 } from "./utf8.ts";

export interface CsvRow {
  readonly line: number;
  readonly fields: readonly Latin1[];
  /** `column`: index of the column in which it is, if it is in one. */
  readonly problem?: Problem & { readonly column?: number };
}

type State = "start" | "plain" | "quoted" | "closed";

const SPECIAL = /[",\n]/g;

/**
 * Splits CSV as RFC 4180 has it, with LF or CRLF, in pieces of any size. It holds one row, of bounded size.
 *
 * After an unclosed quote it does not look for a line that could be the next row. A value may contain such lines, and customers
 * choose values, such as the name of a key: they would add rows.
 */
export class CsvRows {
  #state: State = "start";
  #field = "";
  #fields: Latin1[] = [];
  #bytes = 0;
  #problem: CsvRow["problem"];
  #line = 1;
  #rowLine = 1;
  #quoteLine = 1;

  *push(text: Latin1): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === "quoted") at = this.#quoted(text, at);
      else if (text[at] === '"') at = this.#quote(at);
      else if (text[at] === ",") at = this.#endField(at);
      else if (text[at] === "\n") {
        const row = this.#endRow();
        if (row !== undefined) yield row;
        at += 1;
      } else at = this.#plain(text, at);
    }
  }

  /** The last row, if no line end follows it. */
  *end(): Generator<CsvRow> {
    if (this.#state === "quoted")
      this.#fail(`has a quote, opened in line ${this.#quoteLine}, that is not closed before the end of the file`);
    const row = this.#endRow();
    if (row !== undefined) yield row;
  }

  #quoted(text: Latin1, at: number): number {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    const run = text.slice(at, end);
    this.#append(run);
    for (let feed = run.indexOf("\n"); feed !== -1; feed = run.indexOf("\n", feed + 1)) this.#line += 1;
    if (quote !== -1) this.#state = "closed";
    return end + 1;
  }

  #quote(at: number): number {
    if (this.#state === "closed") this.#append('"');
    if (this.#state === "start") this.#quoteLine = this.#line;
    if (this.#state === "plain") this.#fail("has a quote in a value that is not quoted");
    else this.#state = "quoted";
    return at + 1;
  }

  #plain(text: Latin1, at: number): number {
    SPECIAL.lastIndex = at;
    const end = SPECIAL.exec(text)?.index ?? text.length;
    const run = text.slice(at, end);
    // The CR of a CRLF stands behind a closing quote.
    if (this.#state === "closed" && run === "\r") return end;
    if (this.#state === "closed") this.#fail("has text behind its closing quote");
    this.#append(run);
    this.#state = "plain";
    return end;
  }

  #endField(at: number): number {
    this.#fields.push(this.#field);
    this.#field = "";
    this.#state = "start";
    this.#grow(1);
    if (this.#fields.length >= COLUMNS_MAX) this.#refuse({ message: `has more than ${COLUMNS_MAX} columns` });
    return at + 1;
  }

  #endRow(): CsvRow | undefined {
    const isBlank = this.#fields.length === 0 && this.#state !== "closed" && this.#field.trim() === "";
    if (this.#state === "plain" && this.#field.endsWith("\r")) this.#field = this.#field.slice(0, -1);
    const fields = [...this.#fields, this.#field];
    const row = { line: this.#rowLine, fields, ...(this.#problem && { problem: this.#problem }) };
    this.#state = "start";
    this.#field = "";
    this.#fields = [];
    this.#bytes = 0;
    const isEmpty = isBlank && this.#problem === undefined;
    this.#problem = undefined;
    this.#line += 1;
    this.#rowLine = this.#line;
    return isEmpty ? undefined : row;
  }

  #append(run: Latin1): void {
    this.#grow(run.length);
    if (this.#bytes <= RECORD_BYTES_MAX) this.#field += run;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > RECORD_BYTES_MAX) this.#refuse(TOO_LONG);
  }

  #fail(message: string): void {
    this.#problem ??= { message, column: this.#fields.length };
  }

  /** Drops what was read of the row. Its end is still looked for. */
  #refuse(problem: Problem): void {
    this.#problem ??= problem;
    this.#fields = [];
    this.#field = "";
  }
}
