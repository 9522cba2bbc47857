import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { ownSearchPath } from "./search-path.ts";

/** As that of `0005-outbox.ts`, and with how the reply ended. */
const eventOfRun = (searchPath: RawBuilder<unknown>) => sql`
  create or replace function write_run_event() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  begin
    insert into webhook_events (event_id, tenant_id, type, subject, source)
    select
      'evt_' || substr(new.run_id, 5), tenant_id, 'run.' || new.status, new.run_id,
      jsonb_build_object('details', jsonb_build_object(
        'thread_id', thread_id, 'conversation_key', conversation_key, 'user_id', user_id, 'error', new.error,
        'prompt_tokens', new.prompt_tokens, 'completion_tokens', new.completion_tokens, 'finish_reason', new.finish_reason
      ))
    from threads
    where thread_id = new.thread_id
      and exists (select from webhooks where webhooks.tenant_id = threads.tenant_id and status = 'enabled')
    on conflict do nothing;
    return null;
  end
  $$`;

/**
 * When the work on a run began, which its deadline counts from, and how its reply ended. The previous version leaves both
 * empty: the next claim begins the work.
 */
export const runDeadlines: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table runs add column started_at timestamptz(3), add column finish_reason text`.execute(db);
    await eventOfRun(await ownSearchPath(db)).execute(db);
  },
};
