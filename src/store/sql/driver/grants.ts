import { TABLE_PRIVILEGES } from "./table-privileges.ts";

export interface Roles {
  /** The role that serves. */
  readonly role: string;
  /** The role that owns the tables. */
  readonly migratingRole: string;
  readonly database: string;
  readonly schema: string;
}

/** For the owner of the database and the schema, once: both roles may connect, and the migrating one creates the tables. */
export function schemaGrants({ role, migratingRole, database, schema }: Roles): readonly string[] {
  const both = `${quoted(migratingRole)}, ${quoted(role)}`;
  return [
    `grant connect on database ${quoted(database)} to ${both};`,
    `grant usage on schema ${quoted(schema)} to ${both};`,
    `grant create on schema ${quoted(schema)} to ${quoted(migratingRole)};`,
  ];
}

/** For the migrating role, after each migration. */
export function tableGrants({ role, schema }: Pick<Roles, "role" | "schema">): readonly string[] {
  return Object.entries(TABLE_PRIVILEGES)
    .filter(([, privileges]) => privileges.length > 0)
    .map(([table, all]) => `grant ${all.join(", ")} on ${quoted(schema)}.${quoted(table)} to ${quoted(role)};`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
