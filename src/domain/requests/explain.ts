import type { Policy } from "../access/policy.ts";
import type { ExplainedStep } from "../keys/explain.ts";
import { DENIALS, type DenialReason, errorPageOf, type SpecificReason } from "../vocabulary/denial.ts";
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
  readonly name: Check;
  readonly passed: boolean;
  readonly detail: string;
}

/** The checks of a key that Verify explains, that of a token in its place, and those that have no key yet. */
type Check = ExplainedStep["name"] | "path" | "credentials" | "key" | "token" | "storage";

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
  const order = checksOf(request);
  if (reason === null) return { request, steps: order.map(passed), remedy: "", documentation: "" };
  if (isFailure(reason)) {
    const { check, message, remedy, page } = FAILED[reason];
    const steps = [{ name: check, passed: false, detail: request.message || message }];
    return { request, steps, remedy, documentation: errorPageOf(page) };
  }
  const specific = reason === "insufficient_scope" ? kindNotAllowed(request, policies.get(request.rpc)) : undefined;
  const check = specific === "token_not_allowed" ? "token" : failedCheck(reason, request);
  const before = order.includes(check) ? order.slice(0, order.indexOf(check)) : order.slice(0, 1);
  const { remedy, sentence } = specific === undefined ? DENIALS[reason] : NOT_ALLOWED[specific];
  const steps = [...before.map(passed), { name: check, passed: false, detail: request.message || sentence }];
  return { request, steps, remedy: `${capitalized(remedy)}.`, documentation: errorPageOf(specific ?? reason) };
}

/** Which check has each reason. Without a key, failed checks of the storage and of the provider look alike. */
const CHECKS = {
  missing_credentials: "credentials",
  api_key_invalid: "credentials",
  api_key_not_found: "key",
  api_key_expired: "status",
  api_key_disabled: "status",
  api_key_revoked: "status",
  tenant_suspended: "status",
  origin_not_allowed: "source",
  publishable_key_requires_jwt: "oidc",
  token_revoked: "status",
  jwt_expired: "oidc",
  jwt_malformed: "oidc",
  jwt_invalid_signature: "oidc",
  jwt_invalid_issuer: "oidc",
  jwt_invalid_audience: "oidc",
  user_id_claim_not_found: "oidc",
  misconfigured_publishable_key: "oidc",
  oidc_not_configured: "oidc",
  verifier_error: "oidc",
  rate_limited: "rate_limit",
  insufficient_scope: "scope",
  tenant_required: "scope",
} as const satisfies Record<DenialReason, Check>;

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

function failedCheck(reason: DenialReason, { keyId, caller }: RecentRequest): Check {
  // A look-up that failed: the key is not known, and so neither is its kind.
  if (reason === "verifier_error" && keyId === null && caller === null) return "key";
  return CHECKS[reason];
}

/** The checks of a caller in the order of the gate (`interceptors/gate/order.ts`). */
function checksOf({ caller, tokenId }: RecentRequest): readonly Check[] {
  switch (caller) {
    case "secret_key":
      return ["credentials", "key", "status", "source", "rate_limit", ...(tokenId === null ? [] : TOKEN), "scope"];
    case "publishable_key":
      return ["credentials", "key", "status", "source", "oidc", "rate_limit", "scope"];
    case "dashboard_user":
    case "operator":
    case "anonymous":
      return ["credentials", "oidc", "status", "rate_limit", "scope"];
    case null:
      return ["credentials", "key"];
    default:
      return caller satisfies never;
  }
}

const TOKEN = ["token"] as const;

function passed(name: Check): RequestStep {
  return { name, passed: true, detail: PASSED[name] };
}

const PASSED: Record<Check, string> = {
  path: "The path and the method are those of an RPC.",
  credentials: "The credentials were there, each once.",
  key: "The key was known.",
  status: "The key was active, and its tenant not suspended.",
  source: "The key may be used from there.",
  oidc: "The user's token was valid.",
  rate_limit: "The limits admitted the request.",
  token: "A token may call this.",
  scope: "The caller may do this.",
  storage: "The caller could be checked.",
};

interface FailedCheck {
  readonly check: Check;
  readonly message: string;
  readonly remedy: string;
  /** The reason whose page says more. */
  readonly page: string;
}

const FAILED: Record<Failure, FailedCheck> = {
  not_found: {
    check: "path",
    message: "There is no such path, it is not for this method, or the request was malformed.",
    remedy: "Check the method and the path, which the OpenAPI document lists.",
    page: "path_not_found",
  },
  internal: {
    check: "storage",
    message: "The caller could not be checked: the storage did not answer.",
    remedy: "Retry after the seconds in Retry-After.",
    page: "storage_unavailable",
  },
};

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
