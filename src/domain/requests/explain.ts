import { CHECKS, type CheckName, checkOf, type NamedCheck } from "../access/checks.ts";
import type { Policy } from "../access/policy.ts";
import type { CallerKind } from "../access/principal.ts";
import { DENIALS, errorPageOf, type SpecificReason } from "../vocabulary/denial.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import { type RecentRequestsContext, requireKept } from "./list.ts";
import { type Failure, isFailure, type RecentRequest } from "./recent-request.ts";

/** How a request was decided. */
export interface RequestExplanation {
  readonly request: RecentRequest;
  /** The checks in their order, up to the one that failed. */
  readonly steps: readonly RequestStep[];
  /** What to do. Empty: the request was admitted. */
  readonly remedy: string;
  /** Path of the page about the reason. Empty: the request was admitted. */
  readonly documentation: string;
}

export interface RequestStep {
  readonly name: StepName;
  readonly passed: boolean;
  readonly detail: string;
}

/** The checks of the gate, and what may fail before or instead of them. */
type StepName = CheckName | "path" | "storage";

type Policies = ReadonlyMap<string, Pick<Policy, "callers" | "tokens">>;

export interface ExplainRequestContext extends RecentRequestsContext {
  /** By the names of the RPCs. */
  readonly policies: Policies;
}

/** Explains a recent request of a tenant; null: of any. Throws `RequestFault` for an unknown request. */
export async function explainRequest(
  { requests, requestRecorder, policies }: ExplainRequestContext,
  tenantId: string | null,
  requestId: string,
): Promise<RequestExplanation> {
  requireKept(requestRecorder);
  await requestRecorder.stored();
  const request = await requests.findRequest(tenantId, requestId);
  if (request === undefined) throw unknownRequest();
  return explained(request, policies);
}

function unknownRequest(): RequestFault {
  return faultOf(
    "request_not_found",
    "request_id",
    "no recent request has this id; take the X-Request-Id of the response, and ask soon: of each key the last denials are kept for some days, and of admitted requests a sample",
  );
}

export function explained(request: RecentRequest, policies: Policies): RequestExplanation {
  const { reason } = request;
  const kind = { caller: request.caller, isToken: request.tokenId !== null };
  const order = CHECKS.filter((check) => check.applies(kind));
  if (reason === null) return { request, steps: order.map(passed), remedy: "", documentation: "" };
  if (isFailure(reason)) {
    const { name, message, remedy, page } = FAILED[reason];
    const steps = [{ name, passed: false, detail: request.message || message }];
    return { request, steps, remedy, documentation: errorPageOf(page) };
  }
  const specific = reason === "insufficient_scope" ? kindNotAllowed(request, policies.get(request.rpc)) : undefined;
  const name = request.failedCheck ?? (specific === "token_not_allowed" ? "token" : checkOf(reason, request.caller));
  const { remedy, sentence } = specific === undefined ? DENIALS[reason] : NOT_ALLOWED[specific];
  const steps = [
    ...before(name, order, request.caller).map(passed),
    { name, passed: false, detail: request.message || sentence },
  ];
  return { request, steps, remedy: `${capitalized(remedy)}.`, documentation: errorPageOf(specific ?? reason) };
}

/** The checks of this caller before the one that failed, which may be one that its callers usually do not come to. */
function before(failed: CheckName, order: readonly NamedCheck[], caller: CallerKind | null): readonly NamedCheck[] {
  const own = order.findIndex(({ name }) => name === failed);
  if (own !== -1) return order.slice(0, own);
  // Without a known caller there was no key that could be checked.
  if (caller === null) return order.slice(0, 1);
  const place = CHECKS.findIndex(({ name }) => name === failed);
  return order.filter((check) => CHECKS.indexOf(check) < place);
}

const NOT_ALLOWED: Record<SpecificReason, { readonly sentence: string; readonly remedy: string }> = {
  token_not_allowed: {
    sentence: "An access token cannot do this, whatever its scopes.",
    remedy: "call with the API key itself, or with a dashboard user's token where keys may not call",
  },
  key_not_allowed: {
    sentence: "This type of API key cannot do this, whatever its scopes.",
    remedy:
      "call with a dashboard user's token and without X-API-Key, or with a secret key where only publishable keys may not",
  },
};

/** As `authorize` decides before it looks at a scope. */
function kindNotAllowed(
  { caller, tokenId }: RecentRequest,
  policy: Pick<Policy, "callers" | "tokens"> | undefined,
): SpecificReason | undefined {
  if (policy === undefined) return undefined;
  if (tokenId !== null) return policy.tokens ? undefined : "token_not_allowed";
  const isKey = caller === "secret_key" || caller === "publishable_key";
  return isKey && !policy.callers.has(caller) ? "key_not_allowed" : undefined;
}

function passed({ name, passed: detail }: NamedCheck): RequestStep {
  return { name, passed: true, detail };
}

interface FailedStep {
  readonly name: StepName;
  readonly message: string;
  readonly remedy: string;
  /** The reason whose page says more. */
  readonly page: string;
}

const FAILED: Record<Failure, FailedStep> = {
  not_found: {
    name: "path",
    message: "There is no such path, it is not for this method, or the request was malformed.",
    remedy: "Check the method and the path, which the OpenAPI document lists.",
    page: "path_not_found",
  },
  internal: {
    name: "storage",
    message: "The caller could not be checked: the storage did not answer.",
    remedy: "Retry after the seconds in Retry-After.",
    page: "storage_unavailable",
  },
};

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
