import { Members } from "../members.ts";
import type { Read } from "../read-result.ts";
import type { Container } from "./container.ts";
import { type CsvRow, CsvRows } from "./csv-rows.ts";
import { type Latin1, utf8Of } from "./utf8.ts";

/**
 * The rows of a CSV file whose first row names its columns. A column whose name is used twice can be in the file, as a join of two
 * tables has it; a row is refused only if the column is read. Without one of the columns `anyOf` the file is something else, and its
 * other lines are not read.
 */
export class CsvRecords implements Container {
  readonly #rows = new CsvRows();
  readonly #anyOf: readonly string[];
  #columns: Columns | undefined;
  #isOther = false;

  constructor(anyOf: readonly string[]) {
    this.#anyOf = anyOf;
  }

  *push(text: Latin1): Generator<Read<Members>> {
    if (!this.#isOther) for (const row of this.#rows.push(text)) yield* this.#record(row);
  }

  *end(): Generator<Read<Members>> {
    if (!this.#isOther) for (const row of this.#rows.end()) yield* this.#record(row);
  }

  *#record(row: CsvRow): Generator<Read<Members>> {
    if (this.#isOther) return;
    if (this.#columns !== undefined) return yield recordOf(row, this.#columns);
    this.#columns = columnsOf(row);
    const message = row.problem?.message ?? headerProblem(this.#columns, this.#anyOf);
    this.#isOther = message !== undefined;
    if (message !== undefined) yield { line: row.line, problem: { message } };
  }
}

interface Columns {
  readonly names: readonly string[];
  readonly ambiguous: ReadonlySet<string>;
}

function headerProblem({ names }: Columns, anyOf: readonly string[]): string | undefined {
  if (names.some((name) => anyOf.includes(name))) return undefined;
  return `is neither JSON nor a header with the column ${anyOf.join(" or ")}`;
}

function columnsOf({ fields }: CsvRow): Columns {
  const names = fields.map((field) => (utf8Of(field) ?? field).trim());
  return { names, ambiguous: new Set(names.filter((name, index) => names.indexOf(name) !== index)) };
}

function recordOf({ line, fields, problem }: CsvRow, { names, ambiguous }: Columns): Read<Members> {
  if (problem !== undefined) {
    const member = problem.column === undefined ? undefined : names[problem.column];
    return { line, problem: { ...(member && { member }), message: problem.message } };
  }
  if (fields.length !== names.length) {
    const message = `has ${fields.length} fields, and the header ${names.length}`;
    return { line, problem: { message } };
  }
  const record = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const value = utf8Of(fields[index] ?? "");
    if (value === undefined) return { line, problem: { member: name, message: "is not valid UTF-8" } };
    // psql and mysqldump can write a null as \N.
    if (value !== "" && value !== "\\N") record.set(name, value);
  }
  return { line, row: new Members(record, ambiguous) };
}
