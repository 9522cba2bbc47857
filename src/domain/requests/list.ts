import { refuseKeyAsId } from "../keys/read.ts";
import { pageRequest } from "../vocabulary/page.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { cursorIn, tokenOf } from "../vocabulary/time-cursor.ts";
import type { RecentRequest } from "./recent-request.ts";
import type { RequestFilter, RequestLog, RequestRecorder } from "./request-log.ts";

export interface RecentRequestsContext {
  readonly requests: Pick<RequestLog, "listRequests" | "findRequest">;
  readonly requestRecorder: Pick<RequestRecorder, "isOn" | "stored">;
}

export interface ListedRequests {
  readonly requests: readonly RecentRequest[];
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

/** Lists the recent requests of a tenant, with those that this process has recorded so far. */
export async function listRequests(
  { requests, requestRecorder }: RecentRequestsContext,
  tenantId: string,
  filter: RequestFilter,
  { pageToken, perPage }: { readonly pageToken: string; readonly perPage: number },
): Promise<ListedRequests> {
  const { from, to } = filter;
  refuseKeyAsId(filter.keyId);
  if (from !== null && to !== null && from >= to) throw faultOf("invalid_period", "from", "must be before to");
  const after = pageToken === "" ? undefined : cursorIn(pageToken);
  requireKept(requestRecorder);
  await requestRecorder.stored();
  const page = await requests.listRequests(tenantId, filter, { after, perPage: pageRequest(1, perPage).perPage });
  return { requests: page.requests, nextPageToken: tokenOf(page.next) };
}

/** An empty list would say that there were no requests. */
export function requireKept({ isOn }: Pick<RequestRecorder, "isOn">): void {
  if (isOn) return;
  throw new RequestFault(
    "requests_not_kept",
    "This service keeps no recent requests; have its operator set REQUEST_LOG_DAYS above 0.",
  );
}
