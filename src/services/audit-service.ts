import type { AuditService } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { type ListEventsContext, listEvents } from "../domain/audit/list.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { fromAuditFilter, toEvents } from "./audit-converter.ts";
import { tenantOf } from "./callers.ts";

export function createAuditService(ctx: ListEventsContext): UnaryImpl<typeof AuditService> {
  return {
    listAuditEvents: async (req, context) =>
      toEvents(await listEvents(ctx, tenantOf(context), fromAuditFilter(req), req)),
  };
}
