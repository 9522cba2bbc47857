import { type Kysely, sql } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import { auditedPolicy } from "../../../domain/keys/audited-policy.ts";
import { type KeyPolicy, NO_RULES, type PolicyState } from "../../../domain/keys/key-policy.ts";
import type { KeyPolicies } from "../../../domain/keys/policy-store.ts";
import { recordChange } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

/** Reason of the suspension of a tenant that was erased. It stays until the operator resumes the tenant. */
export const ERASED_REASON = "erased";

export function createKeyPolicies({ db }: SqlDatabase): KeyPolicies {
  return {
    readPolicy: (tenantId) => translateOutage(() => readPolicy(db, tenantId)),
    writePolicy: (tenantId, policy, act) =>
      translateOutage(() => db.transaction().execute((trx) => writePolicy(trx, tenantId, policy, act))),
  };
}

/**
 * Locks the tenant's rules until the transaction ends, and then reads them and counts the tenant's usable keys: in a second
 * statement, which sees what was committed before the lock was granted. A row lock would not do, since most tenants have no row.
 * Changes that add no key share the lock: they wait for new rules, and for keys that are being added, but not for each other.
 */
export async function lockPolicy(
  trx: Kysely<Schema>,
  tenantId: string,
  { at, addsKey }: { readonly at: Date; readonly addsKey: boolean },
): Promise<PolicyState> {
  await lockRules(trx, tenantId, addsKey ? "alone" : "shared");
  const { rows } = await sql<{ policy: Partial<KeyPolicy> | null; is_erased: boolean; usable: number }>`
    select
      (select policy from key_policies where tenant_id = ${tenantId}) as policy,
      exists (
        select from tenant_suspensions where tenant_id = ${tenantId} and reason = ${ERASED_REASON}
      ) as is_erased,
      (
        select count(*)::int from api_keys
        where tenant_id = ${tenantId} and revoked_at is null and (expires_at is null or expires_at > ${at})
      ) as usable`.execute(trx);
  const [row] = rows;
  return {
    policy: { ...NO_RULES, ...row?.policy },
    usableKeys: row?.usable ?? 0,
    isTenantErased: row?.is_erased === true,
  };
}

/** Also for what must not happen while a key is added. */
export async function lockRules(trx: Kysely<Schema>, tenantId: string, mode: "alone" | "shared"): Promise<void> {
  const name = JSON.stringify(["key_policy", tenantId]);
  const lock = mode === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(hashtextextended(${name}, 0))`.execute(trx);
}

async function readPolicy(db: Kysely<Schema>, tenantId: string): Promise<KeyPolicy> {
  const row = await db.selectFrom("key_policies").select("policy").where("tenant_id", "=", tenantId).executeTakeFirst();
  return { ...NO_RULES, ...row?.policy };
}

async function writePolicy(trx: Kysely<Schema>, tenantId: string, policy: KeyPolicy, act: Act): Promise<void> {
  await lockRules(trx, tenantId, "alone");
  const before = await readPolicy(trx, tenantId);
  const stored = JSON.stringify(policy);
  await trx
    .insertInto("key_policies")
    .values({ tenant_id: tenantId, policy: stored })
    .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet({ policy: stored }))
    .execute();
  const states = { before: auditedPolicy(before), after: auditedPolicy(policy) };
  await recordChange(trx, act, { tenantId, targetId: tenantId }, states);
}
