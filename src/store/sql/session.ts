import type pg from "pg";

/**
 * What our statements rely on. A database, a role or DATABASE_URL may set it otherwise: a driver that cannot read a date
 * tells none, and a revoked key would work; and transactions of another kind fail where ours wait for each other.
 */
const PINNED = "-c datestyle=ISO -c default_transaction_isolation=read\\ committed";

/** Where sessions begin as we need them, whatever `options` the URL has; `options` are further ones, of ours. */
export function sessionOf(url: string, options = ""): Pick<pg.ClientConfig, "connectionString" | "options"> {
  const rest = new URL(url);
  const given = rest.searchParams.get("options") ?? "";
  // The driver would take them instead of ours. Of two settings of one name the server takes the last.
  rest.searchParams.delete("options");
  return { connectionString: rest.href, options: `${given} ${PINNED} ${options}`.trim() };
}

interface Session {
  readonly dateStyle: string;
  readonly isolation: string;
}

const SESSION = `
  select current_setting('datestyle') as "dateStyle", current_setting('default_transaction_isolation') as isolation`;

/** What is wrong with the sessions of a pool, and what to do about it; undefined if nothing is. */
export async function sessionProblem(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<Session>(SESSION);
  const [session] = rows;
  if (session === undefined) return "does not tell its settings";
  if (!session.dateStyle.startsWith("ISO")) return unpinned("datestyle", session.dateStyle, "ISO");
  if (session.isolation !== "read committed")
    return unpinned("default_transaction_isolation", session.isolation, "read committed");
  return undefined;
}

/** A pooler need not hand on what a session is to begin with. */
function unpinned(setting: string, value: string, needed: string): string {
  return (
    `is reached through a pooler that gives sessions ${setting} "${value}". ` +
    `Run: alter role <user of DATABASE_URL> set ${setting} = '${needed}'; then restart the pooler`
  );
}
