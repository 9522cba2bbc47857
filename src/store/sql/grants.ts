import { TABLE_PRIVILEGES } from "./table-privileges.ts";

export interface Roles {
  /** The role that serves. */
  readonly role: string;
  /** The role that owns the tables. */
  readonly migratingRole: string;
  readonly schema: string;
}

/**
 * The grants for both roles, a statement a line. The first is for the owner of the schema, the others are for the migrating
 * role, after each migration.
 */
export function grantsFor({ role, migratingRole, schema }: Roles): readonly string[] {
  const serving = quoted(role);
  return [
    `grant usage, create on schema ${quoted(schema)} to ${quoted(migratingRole)};`,
    `grant usage on schema ${quoted(schema)} to ${serving};`,
    ...Object.entries(TABLE_PRIVILEGES)
      .filter(([, privileges]) => privileges.length > 0)
      .map(
        ([table, privileges]) => `grant ${privileges.join(", ")} on ${quoted(schema)}.${quoted(table)} to ${serving};`,
      ),
  ];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
