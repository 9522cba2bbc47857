import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";

/** Between attempts, while the server does not answer. */
const RETRY_MS = 1_000;

export interface AbandonedCommits {
  /** Call it when a connection was given up whose statement may still run. Never throws. */
  end(): void;
  /** Resolves when no attempt is under way, and lets none begin. */
  close(): Promise<void>;
}

/**
 * Ends the server's side of commits that wait for a standby and whose caller has given up. Neither a time limit of the server nor the
 * end of the client's connection does it: each would keep one of `max_connections` until a standby is back. The commit itself was made
 * here and becomes visible; no caller knows, and one that repeats the change waits for it to be confirmed.
 *
 * `olderThanMs` is below the time after which this process gives a connection up, and far above what a commit takes.
 */
export function createAbandonedCommits(
  control: Kysely<Schema>,
  { applicationName, olderThanMs, onEnded }: AbandonedOptions,
): AbandonedCommits {
  const closing = new AbortController();
  let isAsked = false;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (isAsked && !closing.signal.aborted) {
      isAsked = false;
      try {
        const ended = await endWaiting(control, applicationName, olderThanMs);
        if (ended > 0) onEnded(ended);
      } catch {
        // The server is away, which the replica's look reports. Its commits may still wait when it is back.
        isAsked = true;
        await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
    working = undefined;
  }

  return {
    end() {
      isAsked = true;
      working ??= work();
    },
    async close() {
      closing.abort();
      await working;
    },
  };
}

export interface AbandonedOptions {
  /** Of this deployment's sessions. Other programs with the same role keep theirs. */
  readonly applicationName: string;
  readonly olderThanMs: number;
  readonly onEnded: (commits: number) => void;
}

/** An ordinary role may see and end the sessions of its own. */
async function endWaiting(control: Kysely<Schema>, applicationName: string, olderThanMs: number): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = current_user and datname = current_database() and application_name = ${applicationName}
      and wait_event = 'SyncRep' and pid <> pg_backend_pid()
      and clock_timestamp() - query_start > ${sql.lit(olderThanMs)} * interval '1 millisecond'`.execute(control);
  return rows.length;
}
