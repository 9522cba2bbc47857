import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { AUDIT } from "./audit.ts";
import { changes } from "./changes.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { KEYS } from "./keys.ts";
import { ORGS } from "./orgs.ts";
import { REPLICAS } from "./replicas.ts";

/** The first schema. Migrations go forward only: a later one fixes the mistakes of an earlier one. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { rows } = await sql<{ schema: string }>`select unnest(current_schemas(false)) as schema`.execute(db);
    const searchPath = sql.join([...rows.map(({ schema }) => schema), "pg_temp"].map((schema) => sql.id(schema)));
    const statements = [...KEYS, ...ORGS, ...CONVERSATIONS, ...AUDIT, ...changes(searchPath), ...REPLICAS];
    for (const statement of statements) await statement.execute(db);
  },
};
