import type pg from "pg";
import { expect } from "vitest";

export interface StalledCommits {
  /** Waits for a stalled commit. */
  begun(): Promise<void>;
  /** Does that, and breaks its connection. */
  terminate(): Promise<void>;
  /** Makes commits quick again. */
  end(): Promise<void>;
}

/** Makes the commit of each change of a key take `seconds`. The statement timeout does not apply to a commit. */
export async function stallCommits(admin: pg.Client, seconds: number): Promise<StalledCommits> {
  await admin.query(`
    create function stall() returns trigger language plpgsql
      as 'begin perform pg_sleep(${seconds}); return null; end';
    create constraint trigger stall after update on api_keys deferrable initially deferred
      for each row execute function stall()`);
  const stalled = `from pg_stat_activity
    where datname = current_database() and query = 'commit' and wait_event = 'PgSleep'`;
  const begun = async () => {
    const count = async () => Number((await admin.query(`select count(*) ${stalled}`)).rows[0].count);
    await expect.poll(count, { timeout: 10_000 }).toBe(1);
  };
  return {
    begun,
    async terminate() {
      await begun();
      await admin.query(`select pg_terminate_backend(pid) ${stalled}`);
    },
    async end() {
      await admin.query("drop trigger stall on api_keys; drop function stall()");
    },
  };
}
