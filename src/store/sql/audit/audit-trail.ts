import type { AuditTrail } from "../../../domain/audit/audit-trail.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { OPERATOR, ofTenant } from "../driver/list-turns.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { agreeOnDays } from "./audit-retention.ts";
import { insertRefusal, insertRefusals, listEvents, removeOldEvents } from "./audit-rows.ts";
import { addImpersonations, storeHours } from "./impersonation-hours.ts";

/** The audit trail in SQL. Uses `database.db` outside transactions only. */
export function createAuditTrail({ db, lists }: SqlDatabase): AuditTrail {
  return {
    listEvents(tenantId, filter, page) {
      const owner = tenantId === null || page.byOperator === true ? OPERATOR : ofTenant(tenantId);
      return translateOutage(() => lists(owner, (reader) => listEvents(reader, tenantId, filter, page)));
    },
    insertRefusal: (refused) => translateOutage(() => db.transaction().execute((trx) => insertRefusal(trx, refused))),
    insertRefusals: (refused) => translateOutage(() => insertRefusals(db, refused)),
    addImpersonations: (batchId, counted) => translateOutage(() => addImpersonations(db, batchId, counted)),
    storeHours: (before) => translateOutage(() => db.transaction().execute((trx) => storeHours(trx, before))),
    agreeOnDays: (days) => translateOutage(() => agreeOnDays(db, days)),
    removeOld: (days) => translateOutage(() => db.transaction().execute((trx) => removeOldEvents(trx, days))),
  };
}
