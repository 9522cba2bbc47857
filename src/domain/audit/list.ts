import { pageRequest } from "../vocabulary/page.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { cursorIn, tokenOf } from "../vocabulary/time-cursor.ts";
import type { AuditFilter, AuditTrail, RefusalRecorder } from "./audit-trail.ts";
import type { AuditEvent } from "./event.ts";

export interface ListEventsContext {
  readonly audit: Pick<AuditTrail, "listEvents">;
  readonly refusals: Pick<RefusalRecorder, "settled">;
}

/** Which page of the events that the filter matches. Zero and an empty text are "not given". */
export interface EventsPage {
  readonly pageToken: string;
  readonly perPage: number;
  readonly byOperator?: boolean;
}

export interface ListedEvents {
  readonly events: readonly AuditEvent[];
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

/** Lists the events of a tenant, or of all tenants. Includes the refusals that this process has recorded so far. */
export async function listEvents(
  { audit, refusals }: ListEventsContext,
  tenantId: string | null,
  filter: AuditFilter,
  { pageToken, perPage, byOperator = false }: EventsPage,
): Promise<ListedEvents> {
  const { from, to } = filter;
  if (from !== null && to !== null && from >= to) throw faultOf("invalid_period", "from", "must be before to");
  const after = pageToken === "" ? undefined : cursorIn(pageToken);
  await refusals.settled();
  const page = await audit.listEvents(tenantId, filter, {
    after,
    perPage: pageRequest(1, perPage).perPage,
    byOperator,
  });
  return { events: page.events, nextPageToken: tokenOf(page.next) };
}
