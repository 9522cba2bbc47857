import type { RequestService } from "../../gen/latchkey/v1/request_service_pb.ts";
import { type ExplainRequestContext, explainRequest } from "../domain/requests/explain.ts";
import { listRequests } from "../domain/requests/list.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { tenantOf } from "./callers.ts";
import { fromRequestFilter, toRecentRequest, toRequestExplanation } from "./request-converter.ts";

export function createRequestService(ctx: ExplainRequestContext): UnaryImpl<typeof RequestService> {
  return {
    async listRequests(req, context) {
      const { requests, nextPageToken } = await listRequests(ctx, tenantOf(context), fromRequestFilter(req), req);
      return { requests: requests.map(toRecentRequest), nextPageToken };
    },
    async explainRequest({ requestId }, context) {
      return { result: toRequestExplanation(await explainRequest(ctx, tenantOf(context), requestId)) };
    },
  };
}
