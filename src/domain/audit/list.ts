import { pageRequest } from "../vocabulary/page.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import type { AuditCursor, AuditFilter, AuditPage, AuditTrail, RefusalRecorder } from "./audit-trail.ts";
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
  return { events: page.events, nextPageToken: tokenOf(page) };
}

/** A date far beyond those that can be stored would fail in the database. */
const INSTANT_MS_MAX = 253_402_300_799_999;
const TOKEN = /^(\d{1,15})\.(\d{1,15})$/;

/** The cursor is not a secret: all it can do is to skip events that its caller may read. */
function tokenOf({ next }: AuditPage): string {
  return next === undefined ? "" : Buffer.from(`${next.atMs}.${next.seq}`).toString("base64url");
}

function cursorIn(token: string): AuditCursor {
  const [, atMs = "", seq = ""] = TOKEN.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (seq === "" || Number(atMs) > INSTANT_MS_MAX) {
    throw faultOf(
      "invalid_page_token",
      "page_token",
      "is not a token of this list; send next_page_token of the response before, or leave it out",
    );
  }
  return { atMs: Number(atMs), seq: Number(seq) };
}
