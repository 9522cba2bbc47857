import type { JSONColumnType } from "kysely";

/** `jsonb`: written as text on both drivers, because pg would turn a JavaScript array into a PostgreSQL array. */
export type Json<T extends object> = JSONColumnType<T, string, string>;
