import type pg from "pg";
import { codeOf } from "../../domain/error-code.ts";

/**
 * What our statements rely on. A database, a role or DATABASE_URL may set it otherwise: a driver that cannot read a date
 * tells none, and a revoked key would work; and transactions of another kind fail where ours wait for each other.
 */
const PINNED = "-c datestyle=ISO -c default_transaction_isolation=read\\ committed";

const TAKEN_FOR_VERIFY_FULL: ReadonlySet<string> = new Set(["prefer", "require", "verify-ca"]);

/** Where sessions begin as we need them, whatever `options` the URL has; `options` are further ones, of ours. */
export function sessionOf(url: string, options = ""): Pick<pg.ClientConfig, "connectionString" | "options"> {
  const rest = new URL(url);
  const given = rest.searchParams.get("options") ?? "";
  // The driver would take them instead of ours. Of two settings of one name the server takes the last.
  rest.searchParams.delete("options");
  // What the driver takes them for, with a long warning; its next version would check less.
  const sslMode = rest.searchParams.get("sslmode") ?? "";
  const isLibpq = rest.searchParams.get("uselibpqcompat") === "true";
  if (TAKEN_FOR_VERIFY_FULL.has(sslMode) && !isLibpq) rest.searchParams.set("sslmode", "verify-full");
  return { connectionString: rest.href, options: `${given} ${PINNED} ${options}`.trim() };
}

/** All that a session may be given when it begins: a pooler that does not know them refuses it, unless it is told not to. */
const GIVEN = "options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout";

/** What a server, or a pooler, says of settings that a session may not begin with. */
const PROTOCOL_VIOLATION = "08P01";

/** What the driver says where it is asked for a password and has none, or an empty one. */
const NO_PASSWORD = /client password must be a (?:non-empty )?string/;

interface Session {
  readonly encoding: string;
  readonly searchPath: string;
  /** Null: `searchPath` has none that exists. */
  readonly schema: string | null;
  readonly dateStyle: string;
  readonly isolation: string;
}

const SESSION = `
  select
    current_setting('server_encoding') as encoding,
    current_setting('search_path') as "searchPath",
    current_schema() as schema,
    current_setting('datestyle') as "dateStyle",
    current_setting('default_transaction_isolation') as isolation`;

/** What is wrong with the sessions of a pool, and what to do about it; undefined if nothing is. */
export async function sessionProblem(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<Session>(SESSION);
  const [session] = rows;
  if (session === undefined) return "does not tell its settings";
  const { encoding, schema, searchPath, dateStyle, isolation } = session;
  if (encoding !== "UTF8")
    return `is encoded in ${encoding}, which has not all characters: create one with encoding 'UTF8' and name it in DATABASE_URL`;
  if (schema === null)
    return `has no schema to work in, its search_path is ${searchPath}: create that schema, or set search_path to one that exists`;
  if (!dateStyle.startsWith("ISO")) return unpinned("datestyle", dateStyle, "ISO");
  if (isolation !== "read committed") return unpinned("default_transaction_isolation", isolation, "read committed");
  return undefined;
}

/** A pooler need not hand on what a session is to begin with. */
function unpinned(setting: string, value: string, needed: string): string {
  return (
    `is reached through a pooler that gives sessions ${setting} "${value}". ` +
    `Run: alter role <user of DATABASE_URL> set ${setting} = '${needed}'; then restart the pooler`
  );
}

/** What to do where no session can be had. */
export function adviceOn(err: unknown): string {
  if (err instanceof Error && NO_PASSWORD.test(err.message))
    return "Put the password into DATABASE_URL: postgres://user:password@host/database";
  return codeOf(err) === PROTOCOL_VIOLATION
    ? `If a pooler is in between, set its ignore_startup_parameters = ${GIVEN}`
    : "Check DATABASE_URL";
}

/** What a driver's words mean, where they say nothing to who has not written it. */
export function plainly(reason: string): string {
  return NO_PASSWORD.test(reason) ? "the server asks for a password" : reason;
}
