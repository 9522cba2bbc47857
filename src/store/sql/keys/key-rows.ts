import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Actor } from "../../../domain/audit/event.ts";
import type { KeyRecord } from "../../../domain/credentials/key.ts";
import type { NewKey, StoredChange } from "../../../domain/keys/key-change.ts";
import type { KeyDetails } from "../../../domain/keys/key-details.ts";
import type { RateLimit } from "../../../domain/limits/caps.ts";
import { NO_CAPS, withPerUser } from "../../../domain/limits/rate-limit.ts";
import { hashBytes } from "../driver/hash-bytes.ts";
import type { Schema } from "../schema.ts";

/** The columns of a record: all but the hash, which is never needed, and the order of creation. */
export const KEY_COLUMNS = [
  "key_id",
  "tenant_id",
  "secret_prefix",
  "type",
  "name",
  "description",
  "permissions",
  "requests_per_minute",
  "requests_per_hour",
  "burst_size",
  "oidc",
  "expires_at",
  "created_at",
  "updated_at",
  "disabled_at",
  "revoked_at",
  "rotated_to",
  "rotated_from",
  "metadata",
  "external_id",
  "user_requests_per_minute",
  "user_requests_per_hour",
  "user_burst_size",
  "budget_id",
  "allowed_ips",
  "allowed_origins",
  "allow_browser",
] as const satisfies readonly (keyof Schema["api_keys"])[];

export type KeyRow = Pick<Selectable<Schema["api_keys"]>, (typeof KEY_COLUMNS)[number]>;

/** Null if neither table has a use. */
export const LAST_USED_AT = sql<Date | null>`greatest(
  api_keys.last_used_at,
  (select used.last_used_at from key_usage used where used.key_id = api_keys.key_id)
)`.as("last_used_at");

/** The columns of a key that a tenant sees. */
export const DETAIL_COLUMNS = [
  ...KEY_COLUMNS,
  "created_by",
  "revoked_by",
  "leaked_at",
  "leak_url",
  "leak_source",
  LAST_USED_AT,
] as const;

export type DetailRow = KeyRow & {
  readonly last_used_at: Date | null;
  readonly created_by: Actor | null;
  readonly revoked_by: Actor | null;
  readonly leaked_at: Date | null;
  readonly leak_url: string | null;
  readonly leak_source: string | null;
};

export function detailsOf(row: DetailRow): KeyDetails {
  return {
    ...recordOf(row),
    lastUsedAt: row.last_used_at,
    createdBy: row.created_by,
    revokedBy: row.revoked_by,
    leak: row.leaked_at && { at: row.leaked_at, url: row.leak_url, source: row.leak_source },
  };
}

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

export function rowOf({ record, secretHash }: NewKey, creator: Actor): Insertable<Schema["api_keys"]> {
  return {
    key_id: record.keyId,
    tenant_id: record.tenantId,
    secret_hash: hashBytes(secretHash),
    secret_prefix: record.secretPrefix,
    type: record.type,
    name: record.name,
    description: record.description,
    permissions: JSON.stringify(record.permissions),
    ...limitColumns(record.rateLimit),
    oidc: record.oidc === null ? null : JSON.stringify(record.oidc),
    expires_at: record.expiresAt,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    disabled_at: record.disabledAt,
    revoked_at: record.revokedAt,
    rotated_to: record.rotatedTo,
    rotated_from: record.rotatedFrom,
    metadata: record.metadata === null ? null : JSON.stringify(record.metadata),
    external_id: record.externalId || null,
    budget_id: record.budgetId,
    allowed_ips: JSON.stringify(record.allowedIps),
    allowed_origins: JSON.stringify(record.allowedOrigins),
    allow_browser: record.allowBrowser,
    created_by: JSON.stringify(creator),
  };
}

/**
 * The columns that a patch changes; undefined if it changes none. Null sets a column to null, a missing member leaves
 * it. `actor` is who changes them.
 */
export function changedColumns(patch: StoredChange["patch"], actor: Actor): Updateable<Schema["api_keys"]> | undefined {
  const columns: Updateable<Schema["api_keys"]> = {};
  if (patch.name !== undefined) columns.name = patch.name;
  if (patch.description !== undefined) columns.description = patch.description;
  if (patch.permissions !== undefined) columns.permissions = JSON.stringify(patch.permissions);
  if (patch.rateLimit !== undefined) Object.assign(columns, limitColumns(patch.rateLimit));
  if (patch.expiresAt !== undefined) columns.expires_at = patch.expiresAt;
  if (patch.updatedAt !== undefined) columns.updated_at = patch.updatedAt;
  if (patch.disabledAt !== undefined) columns.disabled_at = patch.disabledAt;
  if (patch.revokedAt !== undefined) {
    columns.revoked_at = patch.revokedAt;
    columns.revoked_by = JSON.stringify(actor);
  }
  if (patch.leak !== undefined) {
    columns.leaked_at = patch.leak.at;
    columns.leak_url = patch.leak.url;
    columns.leak_source = patch.leak.source;
  }
  if (patch.rotatedTo !== undefined) columns.rotated_to = patch.rotatedTo;
  if (patch.metadata !== undefined) columns.metadata = patch.metadata === null ? null : JSON.stringify(patch.metadata);
  if (patch.externalId !== undefined) columns.external_id = patch.externalId || null;
  if (patch.allowedIps !== undefined) columns.allowed_ips = JSON.stringify(patch.allowedIps);
  if (patch.allowedOrigins !== undefined) columns.allowed_origins = JSON.stringify(patch.allowedOrigins);
  if (patch.allowBrowser !== undefined) columns.allow_browser = patch.allowBrowser;
  return Object.keys(columns).length === 0 ? undefined : columns;
}
