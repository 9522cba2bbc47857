import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import { auditedRule } from "../../../domain/federation/audited-rule.ts";
import { membersOfRule } from "../../../domain/federation/narrower-rule.ts";
import type { FederationRule } from "../../../domain/federation/rule.ts";
import { type NewRule, RULES_MAX, type RulePatch, type RuleStore } from "../../../domain/federation/rule-store.ts";
import { hasAll, tooManyRules } from "../../../domain/federation/rules.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { ruleSubject } from "../../replicas/subjects.ts";
import { recordChange } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { findProven } from "../driver/history.ts";
import { sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { ERASED_REASON, lockRules } from "../keys/key-policies.ts";
import { changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";
import { changedColumns, RULE_COLUMNS, ruleOf, ruleRow } from "./rule-rows.ts";

/** Rules for workloads in SQL. Uses `db` outside transactions only. `clock` is for tests. */
export function createRuleStore(
  database: Pick<SqlDatabase, "db" | "history">,
  invalidation: Invalidation = NO_CACHE,
  clock?: Clock,
): RuleStore {
  const { db } = database;
  const now = sqlNow(clock);
  /** Only for a rule of the tenant: an id that never was has no subject. `work` returns what is left of it. */
  const change = (
    { tenantId, ruleId }: RuleOf,
    { requestId }: Act,
    work: (trx: Kysely<Schema>) => Promise<FederationRule | undefined>,
  ) =>
    translateOutage(async () => {
      if ((await findRule(database, tenantId, ruleId)) === undefined) return undefined;
      return changeBound(db, invalidation, ruleSubject(ruleId), async (trx) => {
        const left = await work(trx);
        const rule = left === undefined ? null : membersOfRule(left);
        return { result: { left }, state: { kind: "rule", tenantId, ruleId, rule }, requestId };
      });
    });
  return {
    insertRule: (rule, act) =>
      translateOutage(() => db.transaction().execute((trx) => insertRule(trx, rule, act, now()))),
    listRules: (tenantId) => translateOutage(() => listRules(db, tenantId)),
    findRule: (tenantId, ruleId) => translateOutage(() => findRule(database, tenantId, ruleId)),
    findRuleOfAny: (ruleId) => translateOutage(() => findRuleOfAny(database, ruleId)),
    updateRule: async (tenantId, ruleId, patch, act) => {
      const of = { tenantId, ruleId };
      return (await change(of, act, (trx) => updateRule(trx, of, patch, act, now())))?.left;
    },
    async deleteRule(tenantId, ruleId, act) {
      const of = { tenantId, ruleId };
      let isDeleted = false;
      await change(of, act, async (trx) => {
        isDeleted = await deleteRule(trx, of, act);
        return undefined;
      });
      return isDeleted;
    },
  };
}

/** The lock makes concurrent calls count each other's rules, and has an erasure of the tenant come before or after. */
async function insertRule(
  trx: Kysely<Schema>,
  rule: NewRule,
  act: Act,
  now: RawBuilder<Date>,
): Promise<FederationRule> {
  const { tenantId, ruleId } = rule;
  await lockRules(trx, tenantId, "alone");
  const { rows } = await sql<{ is_erased: boolean; rules: number }>`
    select
      (select count(*)::int from federation_rules where tenant_id = ${tenantId}) as rules,
      exists (
        select from tenant_suspensions where tenant_id = ${tenantId} and reason = ${ERASED_REASON}
      ) as is_erased`.execute(trx);
  const [found] = rows;
  if (found?.is_erased)
    throw new RequestFault("tenant_erased", "The tenant was erased, and gets no rule until it is resumed.");
  if ((found?.rules ?? 0) >= RULES_MAX) throw tooManyRules();
  const row = await trx
    .insertInto("federation_rules")
    .values({ ...ruleRow(rule), created_at: now, updated_at: now })
    .returning(RULE_COLUMNS)
    .executeTakeFirstOrThrow();
  const inserted = ruleOf(row);
  await recordChange(trx, act, { tenantId, targetId: ruleId }, { after: auditedRule(inserted) });
  return inserted;
}

async function listRules(db: Kysely<Schema>, tenantId: string): Promise<FederationRule[]> {
  const rows = await db
    .selectFrom("federation_rules")
    .select(RULE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .orderBy("seq")
    .execute();
  return rows.map(ruleOf);
}

type Read = Pick<SqlDatabase, "db" | "history">;

async function findRule(database: Read, tenantId: string, ruleId: string): Promise<FederationRule | undefined> {
  const lookUp = database.db
    .selectFrom("federation_rules")
    .select(RULE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("rule_id", "=", ruleId);
  const row = await findProven(database, lookUp);
  return row && ruleOf(row);
}

async function findRuleOfAny(database: Read, ruleId: string): Promise<FederationRule | undefined> {
  const lookUp = database.db.selectFrom("federation_rules").select(RULE_COLUMNS).where("rule_id", "=", ruleId);
  const row = await findProven(database, lookUp);
  return row && ruleOf(row);
}

interface RuleOf {
  readonly tenantId: string;
  readonly ruleId: string;
}

async function updateRule(
  trx: Kysely<Schema>,
  { tenantId, ruleId }: RuleOf,
  patch: RulePatch,
  act: Act,
  now: RawBuilder<Date>,
): Promise<FederationRule | undefined> {
  const current = await lockRule(trx, tenantId, ruleId);
  if (current === undefined || hasAll(current, patch)) return current;
  const row = await trx
    .updateTable("federation_rules")
    .set({ ...changedColumns(patch), updated_at: now })
    .where("tenant_id", "=", tenantId)
    .where("rule_id", "=", ruleId)
    .returning(RULE_COLUMNS)
    .executeTakeFirstOrThrow();
  const rule = ruleOf(row);
  const states = { before: auditedRule(current), after: auditedRule(rule) };
  await recordChange(trx, act, { tenantId, targetId: ruleId }, states);
  return rule;
}

async function deleteRule(trx: Kysely<Schema>, { tenantId, ruleId }: RuleOf, act: Act): Promise<boolean> {
  const current = await lockRule(trx, tenantId, ruleId);
  if (current === undefined) return false;
  await trx.deleteFrom("federation_rules").where("tenant_id", "=", tenantId).where("rule_id", "=", ruleId).execute();
  await recordChange(trx, act, { tenantId, targetId: ruleId }, { before: auditedRule(current) });
  return true;
}

async function lockRule(trx: Kysely<Schema>, tenantId: string, ruleId: string): Promise<FederationRule | undefined> {
  const row = await trx
    .selectFrom("federation_rules")
    .select(RULE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("rule_id", "=", ruleId)
    .forUpdate()
    .executeTakeFirst();
  return row && ruleOf(row);
}
