import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { SecretHash } from "../../../domain/credentials/key.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { hashOf } from "../driver/hash-bytes.ts";
import { findProven } from "../driver/history.ts";
import type { Schema } from "../schema.ts";

/**
 * When the last other key that may spend from the budget of a row of `api_keys` ends; null: no other key. A disabled key spends
 * nothing. The case spares keys that were never rotated the look-up.
 */
export const SHARED_UNTIL = sql<Date | null>`(
  case when api_keys.rotated_to is not null or api_keys.budget_id is not null then (
    select max(coalesce(other.expires_at, '9999-12-31T00:00:00Z'::timestamptz)) from api_keys other
    where (other.budget_id = coalesce(api_keys.budget_id, api_keys.key_id)
      or other.key_id = coalesce(api_keys.budget_id, api_keys.key_id))
      and other.key_id <> api_keys.key_id and other.revoked_at is null and other.disabled_at is null
  ) end
)`.as("shared_until");

/**
 * The hashes of the keys whose cached records a change of a key concerns: its own first, then those of the other keys of its
 * budget, which read whether it is valid. Undefined: the tenant has no such key.
 */
export async function findConcerned(
  database: Pick<SqlDatabase, "db" | "history">,
  tenantId: string,
  keyId: string,
  now: RawBuilder<Date>,
): Promise<readonly SecretHash[] | undefined> {
  const { db } = database;
  const lookUp = db
    .selectFrom("api_keys")
    .select(["secret_hash", "rotated_to", "budget_id"])
    .where("tenant_id", "=", tenantId)
    .where("key_id", "=", keyId);
  const key = await findProven(database, lookUp);
  if (key === undefined) return undefined;
  const own = hashOf(key.secret_hash);
  if (key.rotated_to === null && key.budget_id === null) return [own];
  const budgetId = key.budget_id ?? keyId;
  const others = await db
    .selectFrom("api_keys")
    .select("secret_hash")
    .where("tenant_id", "=", tenantId)
    .where((where) => where.or([where("budget_id", "=", budgetId), where("key_id", "=", budgetId)]))
    .where("key_id", "<>", keyId)
    .where("revoked_at", "is", null)
    .where((where) => isUnexpired(where, now))
    .execute();
  return [own, ...others.map(({ secret_hash }) => hashOf(secret_hash))];
}

function isUnexpired(where: ExpressionBuilder<Schema, "api_keys">, now: RawBuilder<Date>) {
  return where.or([where("expires_at", "is", null), where("expires_at", ">", now)]);
}
