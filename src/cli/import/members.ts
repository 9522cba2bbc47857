import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { type InstantForm, instantOf } from "./instant.ts";
import { RowProblem } from "./read-result.ts";
import { parsedText, textsOf } from "./text-values.ts";

const FLAGS = new Map<unknown, boolean>([
  ...[true, 1, "1", "t", "true", "yes"].map((value) => [value, true] as const),
  ...[false, 0, "0", "f", "false", "no"].map((value) => [value, false] as const),
]);
/** Values that mean nothing in every source: dropping them loses nothing. */
const EMPTY = new Set<unknown>([null, undefined, "", false, 0, "0", "0.0", "f", "false", "null", "[]", "{}"]);
const DEPTH_MAX = 32;
const DIGITS = /^\d{1,16}$/;

/**
 * The members of one record, in whichever type the file has them: texts in CSV, 0 and 1 for booleans from SQLite, JSON within a
 * text. Of several names the first that the record has is read. Throws `RowProblem` for a value that cannot be what it is read as.
 */
export class Members {
  readonly #record: ReadonlyMap<string, unknown>;
  readonly #ambiguous: ReadonlySet<string>;
  readonly #read = new Set<string>();

  constructor(record: ReadonlyMap<string, unknown>, ambiguous: ReadonlySet<string> = new Set()) {
    this.#record = record;
    this.#ambiguous = ambiguous;
  }

  static of(record: Readonly<Record<string, unknown>>): Members {
    return new Members(new Map(Object.entries(record)));
  }

  text(...names: readonly string[]): string | undefined {
    const [name, value] = this.#find(names);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
    if (typeof value === "number")
      throw new RowProblem(name, "is a number that a double does not hold; write it as a text");
    if (typeof value !== "string") throw new RowProblem(name, "must be a text");
    if (value.includes("\0")) throw new RowProblem(name, "has a NUL character");
    return value;
  }

  flag(...names: readonly string[]): boolean | undefined {
    const [name, value] = this.#find(names);
    if (value === undefined || value === "") return undefined;
    const flag = FLAGS.get(typeof value === "string" ? value.toLowerCase() : value);
    if (flag === undefined) throw new RowProblem(name, "must be true or false");
    return flag;
  }

  /** A whole number from 0. */
  count(...names: readonly string[]): number | undefined {
    const [name, value] = this.#find(names);
    if (value === undefined || value === "") return undefined;
    const count = typeof value === "string" && DIGITS.test(value) ? Number(value) : value;
    if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0)
      throw new RowProblem(name, "must be a whole number from 0 to 9007199254740991");
    return count;
  }

  /** RFC 3339, in UTC. */
  instant(form: InstantForm, ...names: readonly string[]): string | undefined {
    const [name, value] = this.#find(names);
    return value === undefined || value === "" ? undefined : instantOf(name, value, form);
  }

  /** An array, or a text that has one: as JSON, as PostgreSQL writes it, or with spaces or commas. */
  texts(...names: readonly string[]): readonly string[] | undefined {
    const [name, value] = this.#find(names);
    return value === undefined || value === "" ? undefined : textsOf(name, value);
  }

  /** Any JSON, also within a text. */
  json(...names: readonly string[]): unknown {
    const [name, value] = this.#find(names);
    if (value === undefined || value === "") return undefined;
    const parsed = typeof value === "string" ? parsedText(name, value) : value;
    if (parsed !== null) checkJson(name, parsed, 0);
    return parsed ?? undefined;
  }

  object(...names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
    const value = this.json(...names);
    if (value === undefined || isJsonObject(value)) return value;
    throw new RowProblem(this.#find(names)[0], "must be a JSON object");
  }

  /** Members that have a value and were not read. */
  unread(): readonly string[] {
    return [...this.#record].filter(([name, value]) => !this.#read.has(name) && !isEmpty(value)).map(([name]) => name);
  }

  has(name: string): boolean {
    return this.#record.get(name) != null;
  }

  isObject(name: string): boolean {
    return isJsonObject(this.#record.get(name));
  }

  /** Also of digits in a text, as CSV has them. */
  isNumber(name: string): boolean {
    const value = this.#record.get(name);
    return typeof value === "number" || (typeof value === "string" && DIGITS.test(value));
  }

  /** The record without a member. */
  without(name: string): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#record].filter(([member]) => member !== name));
  }

  #find(names: readonly string[]): readonly [name: string, value: unknown] {
    const name = names.find((each) => this.#record.get(each) != null) ?? names[0] ?? "";
    for (const each of names) this.#read.add(each);
    if (this.#ambiguous.has(name)) throw new RowProblem(name, "is the name of two columns");
    return [name, this.#record.get(name) ?? undefined];
  }
}

function isEmpty(value: unknown): boolean {
  return EMPTY.has(value) || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function checkJson(member: string, value: unknown, depth: number): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new RowProblem(member, "has a number that a double does not hold; write it as a text");
  if (typeof value !== "object" || value === null) return;
  if (depth === DEPTH_MAX) throw new RowProblem(member, `must be nested at most ${DEPTH_MAX} levels deep`);
  for (const inner of Object.values(value)) checkJson(member, inner, depth + 1);
}
