import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Keys that other systems have issued, and what they look like. The previous version admits no such key, and keeps its columns. */
export const importedKeys: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...FORMATS, ...KEYS, ...CHANGES]) await statement.execute(db);
  },
};

/** `format` has the members of the domain's `KeyFormat` that have no column. */
const FORMATS = [
  sql`
    create table key_formats (
      key_format text primary key,
      seq bigint generated always as identity,
      format jsonb not null,
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
    )`,
];

/** `key_format`: null if the key was made here; empty if it was made by another deployment of this service. */
const KEYS = [
  sql`
    alter table api_keys
      add column key_format text,
      add column public_part text,
      add column imported_digest bytea`,
  sql`
    create index api_keys_imported on api_keys (tenant_id, created_at desc, seq desc)
    where key_format is not null`,
  sql`
    create index api_keys_by_format on api_keys (key_format, tenant_id, created_at desc, seq desc)
    where key_format is not null`,
];

/** As for tenants (`0001-initial/changes.ts`), with the hash of `FORMATS_SUBJECT`: all formats are one record. */
const CHANGES = [
  sql`
    create function list_format_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (sha256(convert_to('formats:', 'UTF8')));
    return null;
  end
  $$`,
  sql`
    create trigger key_format_changed after insert or update or delete on key_formats
    for each statement execute function list_format_change()`,
  sql`
    create trigger key_formats_truncated after truncate on key_formats
    for each statement execute function record_cut()`,
];
