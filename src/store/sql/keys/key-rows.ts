import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Actor } from "../../../domain/audit/event.ts";
import type { KeyRecord } from "../../../domain/credentials/key.ts";
import type { NewKey, StoredChange } from "../../../domain/keys/key-change.ts";
import type { KeyDetails } from "../../../domain/keys/key-details.ts";
import { KEY_MEMBERS } from "../../../domain/keys/key-fields.ts";
import type { RateLimit } from "../../../domain/limits/caps.ts";
import { NO_CAPS, withPerUser } from "../../../domain/limits/rate-limit.ts";
import { type SnakeCase, snakeCase } from "../../../domain/vocabulary/snake-case.ts";
import { hashBytes } from "../driver/hash-bytes.ts";
import type { Schema } from "../schema.ts";

/** All members but the limit, which has six columns, have a column of their name. */
type PlainMember = Exclude<keyof KeyRecord, "rateLimit">;

const PLAIN_MEMBERS = KEY_MEMBERS.filter((member): member is PlainMember => member !== "rateLimit");

const LIMIT_COLUMNS = [
  "requests_per_minute",
  "requests_per_hour",
  "burst_size",
  "user_requests_per_minute",
  "user_requests_per_hour",
  "user_burst_size",
] as const satisfies readonly (keyof ReturnType<typeof limitColumns>)[];

/** The columns of a record: all but the hash, which is never needed, and the order of creation. */
export const KEY_COLUMNS: readonly (SnakeCase<PlainMember> | (typeof LIMIT_COLUMNS)[number])[] = [
  ...PLAIN_MEMBERS.map(snakeCase),
  ...LIMIT_COLUMNS,
];

export type KeyRow = Pick<Selectable<Schema["api_keys"]>, (typeof KEY_COLUMNS)[number]>;

export const LAST_USED_AT = sql<Date | null>`(
  select used.last_used_at from key_usage used where used.key_id = api_keys.key_id
)`.as("last_used_at");

/** The columns of a key that a tenant sees. */
export const DETAIL_COLUMNS = [
  ...KEY_COLUMNS,
  "created_by",
  "revoked_by",
  "leaked_at",
  "leak_url",
  "leak_source",
  "key_format",
  LAST_USED_AT,
] as const;

export type DetailRow = KeyRow & {
  readonly last_used_at: Date | null;
  readonly created_by: Actor | null;
  readonly revoked_by: Actor | null;
  readonly leaked_at: Date | null;
  readonly leak_url: string | null;
  readonly leak_source: string | null;
  readonly key_format: string | null;
};

export function detailsOf(row: DetailRow): KeyDetails {
  return {
    ...recordOf(row),
    lastUsedAt: row.last_used_at,
    createdBy: row.created_by,
    revokedBy: row.revoked_by,
    imported: row.key_format === null ? null : { keyFormat: row.key_format },
    leak: row.leaked_at && { at: row.leaked_at, url: row.leak_url, source: row.leak_source },
  };
}

/** Written out, since a literal is the fastest object to make, and to read: requests read the cached record. */
export function recordOf(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    type: row.type,
    secretPrefix: row.secret_prefix,
    name: row.name,
    description: row.description,
    permissions: row.permissions,
    rateLimit: rateLimitOf(row),
    oidc: row.oidc,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    disabledAt: row.disabled_at,
    revokedAt: row.revoked_at,
    rotatedTo: row.rotated_to,
    rotatedFrom: row.rotated_from,
    metadata: row.metadata,
    externalId: row.external_id ?? "",
    budgetId: row.budget_id,
    allowedIps: row.allowed_ips,
    allowedOrigins: row.allowed_origins,
    allowBrowser: row.allow_browser,
  };
}

function rateLimitOf(row: KeyRow): RateLimit {
  const caps = {
    requestsPerMinute: row.requests_per_minute,
    requestsPerHour: row.requests_per_hour,
    burstSize: row.burst_size,
  };
  return withPerUser(caps, {
    requestsPerMinute: row.user_requests_per_minute,
    requestsPerHour: row.user_requests_per_hour,
    burstSize: row.user_burst_size,
  });
}

export function rowOf({ record, secretHash }: NewKey, creator: Actor): Insertable<Schema["api_keys"]> {
  return { ...columnsOf(record), secret_hash: hashBytes(secretHash), created_by: JSON.stringify(creator) };
}

/**
 * The columns that a patch changes; undefined if it changes none. Null sets a column to null, a missing member leaves
 * it. `actor` is who changes them.
 */
export function changedColumns(
  { leak, ...patch }: StoredChange["patch"],
  actor: Actor,
): Updateable<Schema["api_keys"]> | undefined {
  const columns: Updateable<Schema["api_keys"]> = {
    ...columnsOf(patch),
    ...(patch.revokedAt !== undefined && { revoked_by: JSON.stringify(actor) }),
    ...(leak && { leaked_at: leak.at, leak_url: leak.url, leak_source: leak.source }),
  };
  return Object.keys(columns).length === 0 ? undefined : columns;
}

/** The columns of a whole record. That they fit the table is checked where a row is made of them. */
type RecordColumns = {
  readonly [Member in PlainMember as SnakeCase<Member>]: Stored<KeyRecord[Member]>;
} & ReturnType<typeof limitColumns>;

type Stored<Value> = Value extends string | boolean | Date | null ? Value : string;

/** The columns of those members that are there. */
function columnsOf(members: KeyRecord): RecordColumns;
function columnsOf(members: Partial<KeyRecord>): Partial<RecordColumns>;
function columnsOf(members: Partial<KeyRecord>): object {
  const columns: Record<string, unknown> = members.rateLimit === undefined ? {} : limitColumns(members.rateLimit);
  for (const member of PLAIN_MEMBERS) {
    const value = members[member];
    if (value !== undefined) columns[snakeCase(member)] = stored(member, value);
  }
  return columns;
}

function stored(member: PlainMember, value: KeyRecord[PlainMember]): Stored<KeyRecord[PlainMember]> {
  // The index of external ids has no keys without one.
  if (member === "externalId" && value === "") return null;
  return typeof value !== "object" || value === null || value instanceof Date ? value : JSON.stringify(value);
}

function limitColumns({ requestsPerMinute, requestsPerHour, burstSize, perUser = NO_CAPS }: RateLimit) {
  return {
    requests_per_minute: requestsPerMinute,
    requests_per_hour: requestsPerHour,
    burst_size: burstSize,
    user_requests_per_minute: perUser.requestsPerMinute,
    user_requests_per_hour: perUser.requestsPerHour,
    user_burst_size: perUser.burstSize,
  };
}
