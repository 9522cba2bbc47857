import { AuditService } from "../../../gen/latchkey/v1/audit_service_pb.ts";
import { storeImpersonations } from "../../domain/audit/impersonations.ts";
import { createAuditService } from "../../services/audit-service.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** The audit trail. */
export function openAudit({ config, storage, access }: PartContext): Part {
  const { audit } = storage;
  return {
    services: [mounted(AuditService, createAuditService({ audit, refusals: access.refusals }))],
    removals: [(now) => storeImpersonations(audit, now), () => audit.removeOld(config.auditDays)],
  };
}
