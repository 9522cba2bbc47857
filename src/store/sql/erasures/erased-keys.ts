import { type Kysely, sql } from "kysely";
import type { TenantTarget, UserTarget } from "../../../domain/erasures/erasure.ts";
import { hashBytes, hashOf } from "../driver/hash-bytes.ts";
import type { SqlNow } from "../driver/now.ts";
import type { Schema } from "../schema.ts";
import { type FindPiece, ROWS_AT_ONCE, SUBJECTS_AT_ONCE } from "./erasure-piece.ts";

/**
 * Keys of a tenant become tombstones: the hash and the dates stay, so that a key is denied as before, and so do the columns that
 * name no person. Keys that have neither expired nor been revoked are revoked.
 *
 * Every key has a name until then, so that one without is a tombstone.
 */
export function findKeys(now: SqlNow): FindPiece<TenantTarget> {
  const hasEnded = sql<boolean>`(revoked_at is not null or coalesce(expires_at <= ${now()}, false))`;
  const isLeft = sql<boolean>`(name <> '' or not ${hasEnded})`;

  const bury = (trx: Kysely<Schema>, hashes: readonly string[]) =>
    sql`
      update api_keys set
        revoked_at = case when ${hasEnded} then revoked_at else ${now()} end,
        updated_at = ${now()},
        name = '', description = '', permissions = '[]', oidc = null, created_by = null, revoked_by = null,
        leaked_at = null, leak_url = null, leak_source = null,
        requests_per_minute = 0, requests_per_hour = 0, burst_size = 0, metadata = null, external_id = null,
        user_requests_per_minute = 0, user_requests_per_hour = 0, user_burst_size = 0,
        allowed_ips = '[]', allowed_origins = '[]', public_part = null, imported_digest = null
      where secret_hash in (${sql.join(hashes.map(hashBytes))}) and ${isLeft}`.execute(trx);

  return async (db, { tenantId }) => {
    const rows = await db
      .selectFrom("api_keys")
      .select("secret_hash")
      .where("tenant_id", "=", tenantId)
      .where(isLeft)
      .orderBy("seq")
      .limit(SUBJECTS_AT_ONCE)
      .execute();
    if (rows.length === 0) return undefined;
    const subjects = rows.map(({ secret_hash }) => hashOf(secret_hash));
    return { subjects, remove: async (trx) => ({ keys: changed(await bury(trx, subjects)) }) };
  };
}

/** A user in what keys say of who created and who revoked them. That is in no cached record. */
export const findKeyActors: FindPiece<UserTarget> = async (db, target) => {
  const names = (column: "created_by" | "revoked_by") => {
    const actor = sql.ref(column);
    const isIssuer =
      target.issuer === null ? sql`true` : sql`coalesce(${actor} ->> 'issuer', ${target.issuer}) = ${target.issuer}`;
    return sql<boolean>`coalesce(${actor} ->> 'userId' = ${target.userId} and ${isIssuer}, false)`;
  };
  const [created, revoked] = [names("created_by"), names("revoked_by")];
  const keys = db.selectFrom("api_keys").where("tenant_id", "=", target.tenantId);
  const rows = await keys
    .select("key_id")
    .where(({ or }) => or([created, revoked]))
    .limit(ROWS_AT_ONCE)
    .execute();
  if (rows.length === 0) return undefined;
  const keyIds = rows.map(({ key_id }) => key_id);
  return {
    subjects: [],
    remove: async (trx) => {
      const forgotten = sql`
        update api_keys set
          created_by = case when ${created} then null else created_by end,
          revoked_by = case when ${revoked} then null else revoked_by end
        where key_id in (${sql.join(keyIds)}) and (${created} or ${revoked})`;
      return { key_actors: changed(await forgotten.execute(trx)) };
    },
  };
};

/** Counters of the uses of a tenant's keys. */
export const findKeyUsage: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const rows = await db
    .selectFrom("key_usage")
    .innerJoin("api_keys", "api_keys.key_id", "key_usage.key_id")
    .select("key_usage.key_id")
    .where("tenant_id", "=", tenantId)
    .limit(ROWS_AT_ONCE)
    .execute();
  if (rows.length === 0) return undefined;
  const keyIds = rows.map(({ key_id }) => key_id);
  const locked = sql`select key_id from key_usage where key_id in (${sql.join(keyIds)}) for update skip locked`;
  return {
    subjects: [],
    remove: async (trx) => ({
      key_usage: changed(await sql`delete from key_usage where key_id in (${locked})`.execute(trx)),
    }),
  };
};

/** The tenant's rules for its keys. */
export const findKeyPolicies: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const rules = await db
    .selectFrom("key_policies")
    .select("tenant_id")
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (rules === undefined) return undefined;
  return {
    subjects: [],
    remove: async (trx) => {
      await trx.deleteFrom("key_policies").where("tenant_id", "=", tenantId).execute();
      return {};
    },
  };
};

/** The same by the hour. */
export const findKeyUsageHours: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const { rows } = await sql`select from key_usage_hours where tenant_id = ${tenantId} limit 1`.execute(db);
  if (rows.length === 0) return undefined;
  const locked = sql`
    select ctid from key_usage_hours where tenant_id = ${tenantId} limit ${ROWS_AT_ONCE} for update skip locked`;
  return {
    subjects: [],
    remove: async (trx) => ({
      key_usage: changed(await sql`delete from key_usage_hours where ctid = any(array(${locked}))`.execute(trx)),
    }),
  };
};

function changed({ numAffectedRows = 0n }: { readonly numAffectedRows?: bigint }): number {
  return Number(numAffectedRows);
}
