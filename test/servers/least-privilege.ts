import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import pg from "pg";
import { aclRules } from "../../src/store/redis/redis-commands.ts";
import { type Roles, schemaGrants, tableGrants } from "../../src/store/sql/driver/grants.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { copyDatabase, createDatabase, databaseOf, onDatabase } from "./postgres.ts";

/** A database whose roles have what `latchkey privileges postgres` prints, and nothing that PUBLIC has by default. */
export interface ServingDatabase {
  /** Of the role that serves. */
  readonly url: string;
  /** Of the role that owns the tables. */
  readonly migratingUrl: string;
  /** Of the superuser. */
  readonly adminUrl: string;
  readonly roles: Roles;
}

/** Creates it, with the tables of the latest migration unless `isEmpty`. */
export async function createServingDatabase(serverUrl: string, { isEmpty = false } = {}): Promise<ServingDatabase> {
  const adminUrl = await createDatabase(serverUrl);
  const password = randomBytes(12).toString("hex");
  const suffix = randomBytes(6).toString("hex");
  const database = databaseOf(adminUrl);
  const roles = { role: `serving_${suffix}`, migratingRole: `migrating_${suffix}`, database, schema: "public" };
  const { role, migratingRole } = roles;
  await execute(adminUrl, [
    `create role ${role} login password '${password}'`,
    `create role ${migratingRole} login password '${password}'`,
    `revoke all on database ${database} from public`,
    "revoke all on schema public from public",
    ...schemaGrants(roles),
  ]);
  const url = withUser(adminUrl, role, password);
  const migratingUrl = withUser(adminUrl, migratingRole, password);
  if (!isEmpty) {
    const opened = await openDatabase({ kind: "postgres", url: migratingUrl, poolSize: 1 });
    await migrateToLatest(opened).finally(() => opened.close());
    await execute(migratingUrl, tableGrants(roles));
  }
  return { url, migratingUrl, adminUrl, roles };
}

/** A copy of one that nobody is connected to, for the same roles. Migrating each new database would cost five times as much. */
export async function copyServingDatabase(template: ServingDatabase): Promise<ServingDatabase> {
  // The copy has the privileges on the schema and its tables, but on the database those of any new one.
  const { role, migratingRole } = template.roles;
  const adminUrl = await copyDatabase(template.adminUrl, (database) => [
    `revoke all on database ${database} from public`,
    `grant connect on database ${database} to ${migratingRole}, ${role}`,
  ]);
  const roles = { ...template.roles, database: databaseOf(adminUrl) };
  const at = (url: string): string => onDatabase(url, roles.database);
  return { url: at(template.url), migratingUrl: at(template.migratingUrl), adminUrl, roles };
}

/** Runs statements one after the other. */
export async function execute(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The URL of a new user that has what `latchkey privileges redis` prints. */
export async function createServingUser(redisUrl: string): Promise<string> {
  const user = `serving_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const admin = new Redis(redisUrl);
  try {
    await admin.call("ACL", ["SETUSER", user, `>${password}`, ...aclRules("single")]);
  } finally {
    admin.disconnect();
  }
  return withUser(redisUrl, user, password);
}

function withUser(url: string, user: string, password: string): string {
  const other = new URL(url);
  other.username = user;
  other.password = password;
  return other.href;
}
