import { authorize } from "../../domain/access/authorize.ts";
import { readCredentials } from "../../domain/access/credentials.ts";
import type { Policy } from "../../domain/access/policy.ts";
import { ANONYMOUS, type Principal } from "../../domain/access/principal.ts";
import type { CheckedProof } from "../../domain/access-tokens/proof.ts";
import type { ImpersonationRecorder } from "../../domain/audit/audit-trail.ts";
import { UNNAMED_WAIT_SECONDS, unnamedCall } from "../../domain/audit/waiting-impersonations.ts";
import { exhausted, waiting } from "../../domain/limits/budget.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Call } from "../call.ts";
import { failLookUp } from "./access-token.ts";
import { type AuthenticationContext, authenticate } from "./authentication.ts";
import { type RateLimitContext, spend, spendOfUser } from "./rate-limit.ts";

/**
 * The order of checks, for every call and over every protocol. A call that breaks several rules is answered for the first.
 *
 * An RPC that is open to anyone has none of the first five: credentials that are sent to it are not looked at.
 *
 * Only from the headers, in the gate, before a byte of the body is read (`checkHeaders`):
 *   1. The credentials are there, and each header holds one.
 *   2. The key is known and usable, and may be used from where the call comes from.
 *   3. The user's token is valid: a dashboard user's, or the one beside a publishable key. Of a bound token, its proof is right and
 *      was not used before.
 *   4. The rate limits of the key and of its user, or that of the dashboard user, allow one more request. It stays spent,
 *      whatever the next steps decide. Then a proof is used up: a call that the limit denies stores nothing.
 *      The limit of an RPC whose message names a cost is checked with that cost: the body is read here, and its faults are
 *      reported in their order.
 *   5. The caller is of a kind that may call this RPC, has its scope, may act for the user it names, and has a tenant. The audit
 *      trail has room for the name of that user.
 *
 * From the body, in the transport (`request/body.ts`):
 *   6. The headers that describe the body and the protocol are supported; the body is whole, small enough and a message.
 *
 * From the message (`message-checks.ts`), which the header `Idempotency-Key` may name:
 *   7. Its values can be stored.
 *   8. It obeys the rules of the proto.
 *
 * Then the service runs. The lean path (`transport/unary.ts`) calls the three parts one after the other; Connect calls them
 * where it lets us: in its request gate, in the body that it reads, and in the innermost interceptor.
 */
export function checkHeaders(ctx: HeaderChecks, policy: Policy, call: Call): Awaitable<Principal> {
  if (policy.callers.has("anonymous")) {
    call.principal = ANONYMOUS;
    return call.principal;
  }
  // 1.
  const credentials = readCredentials(call.credentials);
  // 2. and 3.
  const authenticated = authenticate(ctx, credentials, call);
  return authenticated instanceof Promise
    ? authenticated.then((principal) => spendAndAuthorize(ctx, policy, principal, call))
    : spendAndAuthorize(ctx, policy, authenticated, call);
}

function spendAndAuthorize(ctx: HeaderChecks, policy: Policy, principal: Principal, call: Call): Awaitable<Principal> {
  call.principal = principal;
  // 4.
  const { presented } = call;
  const spent =
    presented !== undefined
      ? spend(ctx, presented, principal, call)
      : principal.kind === "dashboard_user"
        ? spendOfUser(ctx, principal, call)
        : undefined;
  const { proof } = call;
  const admitted = proof === undefined ? spent : useProof(spent, proof);
  return admitted instanceof Promise
    ? admitted.then(() => authorizeCall(ctx, policy, principal, call))
    : authorizeCall(ctx, policy, principal, call);
}

async function useProof(spent: Awaitable<void>, proof: CheckedProof): Promise<void> {
  await spent;
  await proof.use().catch(failLookUp);
}

function authorizeCall(ctx: HeaderChecks, policy: Policy, principal: Principal, call: Call): Principal {
  // 5.
  call.principal = authorize(
    principal,
    policy,
    call.credentials.onBehalfOf,
    ctx.authority.rolesWith,
    call.impersonation,
  );
  requireName(ctx, call);
  return call.principal;
}

/** A call for a user must be one that the audit trail can name: else a caller could hide one among invented users. */
function requireName({ impersonations }: HeaderChecks, call: Call): void {
  const { principal, presented } = call;
  if (principal?.kind !== "secret_key" || principal.onBehalfOf === null || presented === undefined) return;
  if (impersonations.hasRoom(presented.at, principal)) return;
  call.limit = waiting(call.limit ?? exhausted(presented.at), presented.at, UNNAMED_WAIT_SECONDS);
  throw unnamedCall();
}

export type HeaderChecks = AuthenticationContext &
  RateLimitContext & { readonly impersonations: Pick<ImpersonationRecorder, "hasRoom"> };
