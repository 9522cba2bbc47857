import type pg from "pg";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";

/**
 * The settings that our statements rely on, because a database, a role or DATABASE_URL may set others. If the driver
 * cannot parse a date, it returns null, and a revoked key would work. At another isolation level, transactions fail
 * where ours wait for each other.
 */
const REQUIRED_SETTINGS = "-c datestyle=ISO -c default_transaction_isolation=read\\ committed";

/**
 * For a server, a database or a role whose commits may be lost in a crash. With `on` they also wait for the standbys of
 * synchronous_standby_names; a stronger setting is kept.
 */
export const COMMITS_ON = "-c synchronous_commit=on";
const DURABLE_COMMITS: ReadonlySet<string> = new Set(["on", "remote_apply"]);

/** Modes that the driver treats as verify-full, with a long warning; its next version would check less. */
const VERIFY_FULL_MODES: ReadonlySet<string> = new Set(["prefer", "require", "verify-ca"]);

/**
 * The connection options that give every session the required settings, whatever `options` the URL has. `options` adds
 * more.
 */
export function sessionOf(
  url: string,
  options = "",
): { readonly connectionString: string; readonly options: string; readonly application_name: string } {
  const rest = new URL(url);
  const given = rest.searchParams.get("options") ?? "";
  const name = rest.searchParams.get("application_name") || "latchkey";
  // Removed, because the driver would use them instead of ours. Of two settings with one name the server uses the last.
  rest.searchParams.delete("options");
  rest.searchParams.delete("application_name");
  const sslMode = rest.searchParams.get("sslmode") ?? "";
  const isLibpq = rest.searchParams.get("uselibpqcompat") === "true";
  if (VERIFY_FULL_MODES.has(sslMode) && !isLibpq) rest.searchParams.set("sslmode", "verify-full");
  return {
    connectionString: rest.href,
    options: `${given} ${REQUIRED_SETTINGS} ${options}`.trim(),
    application_name: name,
  };
}

/**
 * The startup parameters of a session. A pooler that does not know them rejects the session, unless configured
 * otherwise.
 */
const STARTUP_PARAMETERS = "options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout";

/** SQLSTATE with which a server or a pooler rejects startup parameters. */
const PROTOCOL_VIOLATION = "08P01";

/** The driver's message if the server requires a password and the URL has no or an empty one. */
const NO_PASSWORD = /client password must be a (?:non-empty )?string/;

/** The first version that has all that our statements use. */
const VERSION_MIN = 15;

export interface Session {
  /** 150018 is 15.18. */
  readonly version: number;
  readonly encoding: string;
  readonly searchPath: string;
  /** Null if no schema in `searchPath` exists. */
  readonly schema: string | null;
  readonly dateStyle: string;
  readonly isolation: string;
  readonly commits: string;
}

const SESSION = `
  select
    cast(current_setting('server_version_num') as integer) as version,
    current_setting('server_encoding') as encoding,
    current_setting('search_path') as "searchPath",
    current_schema() as schema,
    current_setting('datestyle') as "dateStyle",
    current_setting('default_transaction_isolation') as isolation,
    current_setting('synchronous_commit') as commits`;

/** Returns the settings of a pool's sessions. */
export async function readSession(pool: pg.Pool): Promise<Session | undefined> {
  const { rows } = await pool.query<Session>(SESSION);
  return rows[0];
}

/** Whether a commit survives a crash of the server. */
export function areCommitsDurable(session: Session | undefined): boolean {
  return session === undefined || DURABLE_COMMITS.has(session.commits);
}

/** Returns what is wrong with sessions and what to do about it, or undefined if nothing is. */
export function sessionProblem(session: Session | undefined): string | undefined {
  if (session === undefined) return "does not return its settings";
  const { version, encoding, schema, searchPath, dateStyle, isolation } = session;
  const major = Math.floor(version / 10_000);
  if (major < VERSION_MIN)
    return `runs PostgreSQL ${major}: the service needs ${VERSION_MIN} or later, so upgrade that server or name another in DATABASE_URL`;
  if (encoding !== "UTF8")
    return `is encoded in ${encoding}, which has not all characters: create one with encoding 'UTF8' and name it in DATABASE_URL`;
  if (schema === null)
    return `has no schema to work in, its search_path is ${searchPath}: create that schema, or set search_path to one that exists`;
  if (!dateStyle.startsWith("ISO")) return lostSetting("datestyle", dateStyle, "ISO");
  if (isolation !== "read committed") return lostSetting("default_transaction_isolation", isolation, "read committed");
  if (!areCommitsDurable(session)) return lostSetting("synchronous_commit", session.commits, "on");
  return undefined;
}

/** For a required setting that has no effect: a pooler need not pass on startup parameters. */
function lostSetting(setting: string, value: string, needed: string): string {
  return (
    `is reached through a pooler that gives sessions ${setting} "${value}". ` +
    `Run: alter role <user of DATABASE_URL> set ${setting} = '${needed}'; then restart the pooler`
  );
}

/** Returns what to do if no session can be opened. */
export function adviceOn(err: unknown): string {
  if (err instanceof Error && NO_PASSWORD.test(err.message))
    return "Put the password into DATABASE_URL: postgres://user:password@host/database";
  return codeOf(err) === PROTOCOL_VIOLATION
    ? `If a pooler is in between, set its ignore_startup_parameters = ${STARTUP_PARAMETERS}`
    : "Check DATABASE_URL";
}

/** Replaces a message of the driver that only its authors understand. */
export function plainReason(reason: string): string {
  return NO_PASSWORD.test(reason) ? "the server asks for a password" : reason;
}
