import type { TenantTarget } from "../../../domain/erasures/erasure.ts";
import { ruleSubject } from "../../replicas/subjects.ts";
import { type FindPiece, SUBJECTS_AT_ONCE } from "./erasure-piece.ts";

/** A tenant's rules for workloads, which get no token from then on. */
export const findFederationRules: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const rows = await db
    .selectFrom("federation_rules")
    .select("rule_id")
    .where("tenant_id", "=", tenantId)
    .limit(SUBJECTS_AT_ONCE)
    .execute();
  if (rows.length === 0) return undefined;
  const ruleIds = rows.map(({ rule_id }) => rule_id);
  return {
    subjects: ruleIds.map(ruleSubject),
    async remove(trx) {
      const { numDeletedRows } = await trx
        .deleteFrom("federation_rules")
        .where("tenant_id", "=", tenantId)
        .where("rule_id", "in", ruleIds)
        .executeTakeFirstOrThrow();
      return { federation_rules: Number(numDeletedRows) };
    },
  };
};
