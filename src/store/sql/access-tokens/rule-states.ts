import { sql } from "kysely";
import type { RuleState, RuleStates } from "../../../domain/access-tokens/access-token-store.ts";
import { createBatches } from "../driver/batches.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { isStale, refuseStale } from "../driver/history.ts";
import { translateOutage } from "../driver/sql-errors.ts";

const ON: RuleState = Object.freeze({ isOff: false });
const OFF: RuleState = Object.freeze({ isOff: true });

/** The states of federation rules in SQL. */
export function createRuleStates(database: SqlDatabase): RuleStates {
  const findInBatch = createBatches((ruleIds: readonly string[]) => findStates(database, ruleIds));
  return { findRuleState: (ruleId) => translateOutage(() => findInBatch("", ruleId)) };
}

interface StatesRow {
  readonly is_stale: boolean;
  readonly enabled: readonly string[] | null;
}

/** Throws if the server may lack a change that was acknowledged. */
async function findStates(database: SqlDatabase, ruleIds: readonly string[]): Promise<RuleState[]> {
  const ids = JSON.stringify([...new Set(ruleIds)]);
  const query = sql<StatesRow>`
    select ${isStale(database.history)} as is_stale, (
      select json_agg(rule_id) from federation_rules
      where rule_id in (select jsonb_array_elements_text(cast(${ids} as text)::jsonb)) and status = 'enabled'
    ) as enabled`.compile(database.db);
  const rows = await database.prepared("find_rule_states", query);
  refuseStale(rows);
  const enabled = new Set(rows[0]?.enabled);
  return ruleIds.map((ruleId) => (enabled.has(ruleId) ? ON : OFF));
}
