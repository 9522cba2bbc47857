import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Columns and tables for idempotent sends, bounded retries and token counts. Everything new has a default or is
 * optional, so that the previous version keeps working beside it.
 */
export const gateway: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [RUN_COLUMNS, SENT_MESSAGES, THREADS_OF_USER, THREADS_OF_KEY]) await statement.execute(db);
  },
};

const RUN_COLUMNS = sql`
  alter table runs
    add column failures int not null default 0,
    add column prompt_tokens int,
    add column completion_tokens int`;

/** The senders' own ids of their messages. The primary key makes many concurrent retries one run. */
const SENT_MESSAGES = sql`
  create table sent_messages (
    tenant_id text not null,
    user_id text not null,
    client_message_id text not null,
    run_id text not null,
    primary key (tenant_id, user_id, client_message_id)
  )`;

/** For the lists of a user, who has few of the tenant's conversations. */
const THREADS_OF_USER = sql`
  create index threads_of_user on threads (tenant_id, user_id, updated_at desc, thread_id desc)`;

/** For callers that see the whole tenant: of the unique index they could only use the tenant column. */
const THREADS_OF_KEY = sql`create index threads_of_key on threads (tenant_id, conversation_key)`;
