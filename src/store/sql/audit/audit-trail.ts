import type { AuditTrail } from "../../../domain/audit/audit-trail.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { OPERATOR, ofTenant } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { agreeOnDays } from "./audit-retention.ts";
import { insertRefusal, insertRefusals, listEvents, removeOldEvents } from "./audit-rows.ts";
import { addImpersonations, storeHours } from "./impersonation-hours.ts";

/** The audit trail in SQL. Changes insert their own events; what is written here is the service's own record. */
export function createAuditTrail({ internal, lists }: SqlDatabase): AuditTrail {
  return {
    listEvents(tenantId, filter, page) {
      const owner = tenantId === null || page.byOperator === true ? OPERATOR : ofTenant(tenantId);
      return translateOutage(() => lists(owner, (reader) => listEvents(reader, tenantId, filter, page)));
    },
    insertRefusal: (refused) => translateOutage(() => commitLocally(internal, (trx) => insertRefusal(trx, refused))),
    insertRefusals: (refused) => translateOutage(() => commitLocally(internal, (trx) => insertRefusals(trx, refused))),
    addImpersonations: (batchId, counted) =>
      translateOutage(() => commitLocally(internal, (trx) => addImpersonations(trx, batchId, counted))),
    storeHours: (before) => translateOutage(() => commitLocally(internal, (trx) => storeHours(trx, before))),
    agreeOnDays: (days) => translateOutage(() => commitLocally(internal, (trx) => agreeOnDays(trx, days))),
    removeOld: (days) => translateOutage(() => commitLocally(internal, (trx) => removeOldEvents(trx, days))),
  };
}
