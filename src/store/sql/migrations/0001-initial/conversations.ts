import { sql } from "kysely";

const THREADS = [
  // Without a user, `user_id` is empty and not null: a unique constraint does not compare nulls as equal.
  sql`
    create table threads (
      thread_id text primary key,
      tenant_id text not null,
      user_id text not null default '',
      conversation_key text not null,
      message_count int not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      unique (tenant_id, user_id, conversation_key)
    )`,
  sql`create index threads_of_tenant on threads (tenant_id, updated_at desc, thread_id desc)`,
  // For the lists of a user, who has few of the tenant's conversations.
  sql`create index threads_of_user on threads (tenant_id, user_id, updated_at desc, thread_id desc)`,
  // For callers that see the whole tenant: of the unique index they could only use the tenant column.
  sql`create index threads_of_key on threads (tenant_id, conversation_key)`,
];

const RUNS = [
  sql`
    create table runs (
      run_id text primary key,
      thread_id text not null references threads,
      seq bigint generated always as identity,
      status text not null check (status in ('queued', 'running', 'completed', 'failed')),
      error text not null default '',
      attempts int not null default 0,
      lease_token text,
      lease_until timestamptz(3),
      not_before timestamptz(3) not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      failures int not null default 0,
      prompt_tokens int,
      completion_tokens int,
      check ((status = 'running') = (lease_token is not null and lease_until is not null))
    )`,
  sql`create unique index runs_of_thread on runs (thread_id, seq desc)`,
  // The index that a claim scans. It stays small, however many runs there have been.
  sql`create index runs_unfinished on runs (seq) where status in ('queued', 'running')`,
  // Finds the first unfinished run of a conversation, the only one that may be claimed.
  sql`create index runs_unfinished_of_thread on runs (thread_id, seq) where status in ('queued', 'running')`,
  // The runs that retention removes.
  sql`create index runs_ended_by_age on runs (created_at) where status in ('completed', 'failed')`,
];

/** The senders' own ids of their messages. The primary key makes many concurrent retries one run. */
const SENT_MESSAGES = [
  sql`
    create table sent_messages (
      tenant_id text not null,
      user_id text not null,
      client_message_id text not null,
      run_id text not null,
      primary key (tenant_id, user_id, client_message_id)
    )`,
  // A run and the sender's id of its message are removed together.
  sql`create index sent_messages_by_run on sent_messages (run_id)`,
];

/**
 * One user message and one reply for each run: the unique constraint makes a second reply impossible. `bytes` is the printed
 * length of `parts`: a page is bounded by it, and printing a thousand messages to return thirty took seconds.
 */
const MESSAGES = sql`
  create table messages (
    message_id text primary key,
    run_id text not null references runs,
    role text not null check (role in ('user', 'assistant')),
    parts jsonb not null check (jsonb_typeof(parts) = 'array'),
    created_at timestamptz(3) not null,
    bytes int not null,
    unique (run_id, role)
  )`;

export const CONVERSATIONS = [...THREADS, ...RUNS, ...SENT_MESSAGES, MESSAGES];
