import { callingUser } from "../../domain/access/acting-user.ts";
import { checkOf } from "../../domain/access/checks.ts";
import { UNCHECKED } from "../../domain/access/facts.ts";
import type { RecentRequest } from "../../domain/requests/recent-request.ts";
import type { UseFailure } from "../../domain/usage/uses.ts";
import { withoutCredentials } from "../../domain/vocabulary/credential-pattern.ts";
import type { Call } from "../call.ts";

const MESSAGE_CHARS_MAX = 1_000;

/** The record of a decided call, without its headers and its message. `reason` undefined: it was admitted. */
export function recentRequestOf(call: Call, reason: UseFailure | undefined, at: Date): RecentRequest {
  const { verdict = UNCHECKED, denial, requestId, address, procedure = "" } = call;
  const { presented, principal } = verdict;
  return {
    requestId,
    at,
    tenantId: presented?.key.tenantId ?? principal?.tenantId ?? null,
    keyId: presented?.key.keyId ?? null,
    tokenId: verdict.tokenId ?? null,
    // A token says nothing of its sender before it is verified. A known key does.
    caller: principal?.kind ?? (presented === undefined ? null : verdict.caller),
    userId: principal === undefined ? null : callingUser(principal),
    address,
    rpc: procedure,
    scope: denial?.scope ?? scopeOf(call),
    reason: reason ?? null,
    // An RPC may deny a caller that the gate has admitted.
    failedCheck: denial === undefined ? null : (verdict.failedCheck ?? checkOf(denial.reason, verdict.caller)),
    message: denial === undefined ? "" : storable(denial.message),
  };
}

function scopeOf({ policy, verdict }: Call): string {
  const scope = verdict?.principal?.kind === "dashboard_user" ? policy?.userScope : policy?.scope;
  return scope ?? "";
}

/** Denials quote no credential; should one ever, it is not kept. The database takes neither NUL nor half a character. */
function storable(message: string): string {
  return withoutCredentials(message).slice(0, MESSAGE_CHARS_MAX).replaceAll("\0", "").toWellFormed();
}
