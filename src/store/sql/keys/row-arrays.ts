import { type RawBuilder, sql } from "kysely";

/** The types of the columns of rows. */
export type ColumnTypes<Row> = Readonly<
  Record<keyof Row, "text" | "int" | "boolean" | "timestamptz" | "json" | "jsonb" | "bytea">
>;

/**
 * The columns and the rows of an `insert`, as one array for each column: for a thousand rows that is the fastest statement. Both
 * drivers bind a text, and the server casts its parts.
 */
export function insertRows<Row extends object>(types: ColumnTypes<Row>, rows: readonly Row[]): RawBuilder<unknown> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const arrays = columns.map((column) => sql`cast(${textArray(rows.map((row) => written(row[column])))} as text[])`);
  const values = columns.map((column) => sql`cast(${sql.ref(`given.${column}`)} as ${sql.raw(types[column])})`);
  const names = sql.join(columns.map((column) => sql.id(column)));
  return sql`(${names}) select ${sql.join(values)} from unnest(${sql.join(arrays)}) as given (${names})`;
}

/** A PostgreSQL array of texts, as its input function reads it. */
export function textArray(texts: readonly (string | null)[]): string {
  const written = texts.map((text) => (text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`));
  return `{${written.join(",")}}`;
}

function written(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : String(value);
}
