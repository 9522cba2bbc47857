import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RecentRequestSchema, RequestExplanationSchema } from "../../gen/latchkey/v1/request_pb.ts";
import type { ListRequestsRequest } from "../../gen/latchkey/v1/request_service_pb.ts";
import type { RequestExplanation } from "../domain/requests/explain.ts";
import { type RecentRequest, type Verdict, verdictOf } from "../domain/requests/recent-request.ts";
import type { RequestFilter } from "../domain/requests/request-log.ts";
import { toDate, toTimestamp } from "./dates.ts";

const VERDICTS: Readonly<Record<string, Verdict>> = { admitted: "admitted", denied: "denied", failed: "failed" };

/** The proto admits no other verdict. */
export function fromRequestFilter(req: ListRequestsRequest): RequestFilter {
  const { from, to, keyId, tokenId, verdict, reason, requestId } = req;
  return { from: toDate(from), to: toDate(to), keyId, tokenId, verdict: VERDICTS[verdict] ?? null, reason, requestId };
}

type RequestFields = Omit<MessageInitShape<typeof RecentRequestSchema>, "$typeName" | "$unknown">;

export function toRecentRequest(request: RecentRequest): RequestFields {
  const { requestId, at, caller, keyId, tokenId, userId, address, rpc, scope, reason, message } = request;
  return {
    requestId,
    at: toTimestamp(at),
    caller: caller ?? "",
    keyId: keyId ?? "",
    ...(tokenId !== null && { tokenId }),
    userId: userId ?? "",
    address: address ?? "",
    rpc,
    scope,
    verdict: verdictOf(request),
    reason: reason ?? "",
    message,
  };
}

export function toRequestExplanation(
  explanation: RequestExplanation,
): MessageInitShape<typeof RequestExplanationSchema> {
  return toExplanation(explanation, toRecentRequest(explanation.request));
}

/** As `toRequestExplanation`, with the tenant. */
export function toTenantsExplanation(
  explanation: RequestExplanation,
): MessageInitShape<typeof RequestExplanationSchema> {
  const { request } = explanation;
  return toExplanation(explanation, { ...toRecentRequest(request), tenantId: request.tenantId ?? "" });
}

function toExplanation(
  { request: { reason }, steps, remedy, documentation }: RequestExplanation,
  request: RequestFields,
): MessageInitShape<typeof RequestExplanationSchema> {
  return {
    request,
    allowed: reason === null,
    denialReason: reason ?? "",
    steps: steps.map((step) => ({ ...step })),
    remedy,
    documentation,
  };
}
