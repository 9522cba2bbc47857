import { sql } from "kysely";
import type { SqlDatabase } from "./database.ts";

/** The tables of migrations 8 to 13, which a role that does not own them may lack rights on after an upgrade. */
const TABLES = [
  ...["erasures", "key_changes_watermark", "key_marks", "key_usage_hours", "known_servers", "org_invitations"],
  ...["org_requests", "replicas", "tenant_suspensions", "usage_questions"],
];

/**
 * Throws an error that says what to do if the role of `DATABASE_URL` may not keep the list of replicas or the suspensions.
 * Otherwise the first request or the first change of a key would fail, and not the start.
 */
export async function checkRights({ db }: Pick<SqlDatabase, "db">): Promise<void> {
  const { rows } = await sql<{ name: string; right: string }>`
    select name, "right" from unnest(cast(${TABLES} as text[])) as name,
      unnest(array['select', 'insert', 'update', 'delete']) as "right"
    where not has_table_privilege(name, "right")`.execute(db);
  const [missing] = rows;
  if (missing === undefined) return;
  throw new Error(
    `The role of DATABASE_URL lacks the right to ${missing.right} on the table ${missing.name}. As the owner of the tables, ` +
      "grant that role select, insert, update and delete on all tables in the schema, then start again",
  );
}
