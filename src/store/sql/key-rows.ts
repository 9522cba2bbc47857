import type { Insertable, Selectable, Updateable } from "kysely";
import type { KeyPatch, KeyRecord, NewKey } from "../../domain/keys/key.ts";
import type { Schema } from "./schema.ts";

/** What a record is made of: all but the hash, which no one needs to read, and the order of creation. */
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
  "last_used_at",
  "disabled_at",
  "revoked_at",
  "rotated_to",
  "rotated_from",
] as const satisfies readonly (keyof Schema["api_keys"])[];

export type KeyRow = Pick<Selectable<Schema["api_keys"]>, (typeof KEY_COLUMNS)[number]>;

export function recordOf(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    type: row.type,
    secretPrefix: row.secret_prefix,
    name: row.name,
    description: row.description,
    permissions: row.permissions,
    rateLimit: {
      requestsPerMinute: row.requests_per_minute,
      requestsPerHour: row.requests_per_hour,
      burstSize: row.burst_size,
    },
    oidc: row.oidc,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
    disabledAt: row.disabled_at,
    revokedAt: row.revoked_at,
    rotatedTo: row.rotated_to,
    rotatedFrom: row.rotated_from,
  };
}

export function rowOf({ record, secretHash }: NewKey): Insertable<Schema["api_keys"]> {
  return {
    key_id: record.keyId,
    tenant_id: record.tenantId,
    secret_hash: secretHash,
    secret_prefix: record.secretPrefix,
    type: record.type,
    name: record.name,
    description: record.description,
    permissions: JSON.stringify(record.permissions),
    requests_per_minute: record.rateLimit.requestsPerMinute,
    requests_per_hour: record.rateLimit.requestsPerHour,
    burst_size: record.rateLimit.burstSize,
    oidc: record.oidc === null ? null : JSON.stringify(record.oidc),
    expires_at: record.expiresAt,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    last_used_at: record.lastUsedAt,
    disabled_at: record.disabledAt,
    revoked_at: record.revokedAt,
    rotated_to: record.rotatedTo,
    rotated_from: record.rotatedFrom,
  };
}

/** The columns a patch changes; undefined if it changes none. Null is a value, absence is not. */
export function changedColumns(patch: KeyPatch): Updateable<Schema["api_keys"]> | undefined {
  const columns: Updateable<Schema["api_keys"]> = {};
  if (patch.name !== undefined) columns.name = patch.name;
  if (patch.description !== undefined) columns.description = patch.description;
  if (patch.permissions !== undefined) columns.permissions = JSON.stringify(patch.permissions);
  if (patch.rateLimit !== undefined) {
    columns.requests_per_minute = patch.rateLimit.requestsPerMinute;
    columns.requests_per_hour = patch.rateLimit.requestsPerHour;
    columns.burst_size = patch.rateLimit.burstSize;
  }
  if (patch.expiresAt !== undefined) columns.expires_at = patch.expiresAt;
  if (patch.updatedAt !== undefined) columns.updated_at = patch.updatedAt;
  if (patch.disabledAt !== undefined) columns.disabled_at = patch.disabledAt;
  if (patch.revokedAt !== undefined) columns.revoked_at = patch.revokedAt;
  if (patch.rotatedTo !== undefined) columns.rotated_to = patch.rotatedTo;
  return Object.keys(columns).length === 0 ? undefined : columns;
}
