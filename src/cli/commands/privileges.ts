import { type Command, Option } from "commander";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { wholeNumber } from "../input/whole-number.ts";

const KINDS = ["single", "sentinel", "cluster"] as const;
const DATABASE_MAX = 65_535;

interface PostgresOptions {
  readonly servingRole: string;
  readonly migratingRole: string;
  readonly database: string;
  readonly schema: string;
}

interface RedisOptions {
  readonly user: string;
  readonly kind: (typeof KINDS)[number];
  readonly database: number;
}

/** `latchkey privileges`: least privilege, as statements to run. */
export function addPrivileges(program: Command, around: Surroundings): void {
  const { out } = around.terminal;
  const privileges = addGroup(program, "privileges", "print the rights that the service needs, and no more");
  const postgres = "print the grants for the serving and the migrating role of PostgreSQL";
  addCommand<PostgresOptions>(privileges, "postgres", postgres, around, async ({ options }) => {
    const { schemaGrants, tableGrants } = await import("../../store/sql/driver/grants.ts");
    const roles = { ...options, role: options.servingRole };
    const once = ["-- once, as the owner of the database and the schema", ...schemaGrants(roles)];
    const again = ["-- after each migration, as the migrating role", ...tableGrants(roles)];
    out(`${[...once, ...again].join("\n")}\n`);
  })
    .option("--serving-role <name>", "role of the service", "latchkey")
    .option("--migrating-role <name>", "role that owns the tables and migrates", "latchkey_owner")
    .option("--database <name>", "database of the service", "latchkey")
    .option("--schema <name>", "schema of the tables", "public");
  const redis = "print the ACL of the service's user of Redis";
  addCommand<RedisOptions>(privileges, "redis", redis, around, async ({ options }) => {
    const { aclRules } = await import("../../store/redis/redis-commands.ts");
    out(`ACL SETUSER ${options.user} ${aclRules(options.kind, options.database).join(" ")}\n`);
  })
    .option("--user <name>", "user of the service", "latchkey")
    .addOption(new Option("--kind <kind>", "what REDIS_URL names").choices(KINDS).default("single"))
    .option("--database <number>", "database that REDIS_URL names", wholeNumber(0, DATABASE_MAX), 0);
}
