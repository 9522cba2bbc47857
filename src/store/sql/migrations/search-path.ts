import { type Kysely, type RawBuilder, sql } from "kysely";

/** The search path for functions that run with the rights of their owner: the schemas of this session, and no temporary table first. */
export async function ownSearchPath(db: Kysely<unknown>): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ schema: string }>`select unnest(current_schemas(false)) as schema`.execute(db);
  return sql.join([...rows.map(({ schema }) => schema), "pg_temp"].map((schema) => sql.id(schema)));
}
