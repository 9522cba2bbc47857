import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { processIdOf } from "./server-setup.ts";

/** How long a pooler may take for a second server connection. One that has no second needs none. */
const SECOND_MS = 1_000;
/** SQLSTATE of a prepared statement that the session does not have. */
const NO_SUCH_STATEMENT = "26000";

const BACKEND = "select pg_backend_pid() as pid";

/**
 * Returns why the service cannot work through the pooler of DATABASE_URL and what to do, or undefined if it can, or if
 * there is no pooler. Opens two connections by `connect`, and ends them.
 *
 * A pooler is recognized by the process id of the session, of which it gives each client one of its own. That the mode
 * is statement or transaction is found by trying, since it is not shown to clients.
 */
export async function poolerProblem(connect: () => Promise<pg.Client>): Promise<string | undefined> {
  const first = await connect();
  try {
    const { rows } = await first.query<{ pid: number }>(BACKEND);
    if (rows[0]?.pid === processIdOf(first)) return undefined;
    if (!(await allowsTransactions(first)))
      return "is reached through a pooler that allows no transactions: set its pool_mode = transaction or session";
    const second = await connect();
    try {
      return await preparedProblem(first, second);
    } finally {
      await end(second);
    }
  } finally {
    await end(first);
  }
}

/** In statement mode, PgBouncer rejects a transaction of several statements, and ends the connection. */
async function allowsTransactions(client: pg.Client): Promise<boolean> {
  try {
    await client.query("begin");
    await client.query("commit");
    return true;
  } catch {
    return false;
  }
}

/**
 * In transaction mode, the first client prepares a statement, the second keeps that server connection in a transaction,
 * and the first one uses the statement again. A pooler that does not track statements then runs it on a connection that
 * has none of that name: each busy moment of the service would fail requests.
 */
async function preparedProblem(first: pg.Client, second: pg.Client): Promise<string | undefined> {
  const statement = { name: `latchkey_${randomUUID()}`, text: BACKEND };
  const backend = async (client: pg.Client, query: typeof statement | string) =>
    (await client.query<{ pid: number }>(query)).rows[0]?.pid;
  const prepared = await backend(first, statement);
  await second.query("begin");
  const held = await backend(second, BACKEND);
  // Session mode, or a pooler that took another connection: nothing is known then, and nothing claimed.
  if (held !== prepared) return undefined;
  const again = backend(first, statement).then(
    () => undefined,
    (err: unknown) => err,
  );
  const failure = await Promise.race([again, sleep(SECOND_MS, undefined, { ref: false })]);
  await second.query("commit");
  await again;
  if (codeOf(failure) !== NO_SUCH_STATEMENT) return undefined;
  return (
    "is reached through a pooler in transaction mode that loses prepared statements: use PgBouncer 1.21 or later with " +
    "max_prepared_statements above 0, or pool_mode = session"
  );
}

async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
