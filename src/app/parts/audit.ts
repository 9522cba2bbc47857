import { AuditService } from "../../../gen/latchkey/v1/audit_service_pb.ts";
import { storeImpersonations } from "../../domain/audit/impersonations.ts";
import { createAuditRemoval } from "../../domain/audit/retention.ts";
import { createAuditService } from "../../services/audit-service.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** The audit trail. */
export function openAudit(ctx: PartContext): Part {
  const { audit } = ctx.storage;
  return {
    services: [mounted(AuditService, createAuditService({ audit, refusals: ctx.access.refusals }))],
    removals: [(now) => storeImpersonations(audit, now), removeOldEvents(ctx)],
  };
}

/** Removes events that are older than all replicas keep them, and logs for how many days that is. */
function removeOldEvents({ config: { auditDays: days }, storage: { audit }, watch: { log } }: PartContext) {
  const onDays = (kept: number): void => {
    const fields = { audit_days: days, kept_days: kept };
    if (kept === days) log.info(fields, "events of the audit trail are removed when they are older than this");
    else
      log.warn(
        fields,
        "AUDIT_DAYS is shorter than it was, or than another replica's: it counts after a day without that",
      );
  };
  return createAuditRemoval({ audit, days, onDays });
}
