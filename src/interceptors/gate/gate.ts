import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { ImpersonationRecorder, RefusalRecorder } from "../../domain/audit/audit-trail.ts";
import { originOf } from "../../domain/audit/origin.ts";
import type { RequestRecorder } from "../../domain/requests/request-log.ts";
import type { UsageRecorder } from "../../domain/usage/usage-store.ts";
import type { UseFailure } from "../../domain/usage/uses.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import { type Call, callOf } from "../call.ts";
import type { ErrorTranslator } from "../errors.ts";
import { type Policies, policyOf } from "../policies.ts";
import { findPresentedKey } from "./authentication.ts";
import { checkHeaders, type HeaderChecks } from "./order.ts";
import { reportLimit } from "./rate-limit.ts";
import { recentRequestOf } from "./recent-request.ts";

export interface GateContext extends HeaderChecks {
  readonly admission: Admission;
  readonly policies: Policies;
  readonly usage: UsageRecorder;
  readonly refusals: Pick<RefusalRecorder, "record">;
  readonly impersonations: ImpersonationRecorder;
  readonly requestRecorder: Pick<RequestRecorder, "isOn" | "samples" | "record">;
  readonly translate: ErrorTranslator;
}

/** Checks requests only from their headers. */
export interface Gate {
  /** Runs `checkHeaders` on a call of a method; records and returns its caller. Throws a `ConnectError`. */
  check(method: DescMethod, call: Call): Awaitable<Principal>;
  /** For paths other than RPCs: looks the key up only to report its limit; checks and spends nothing. */
  identify(call: Call): Promise<void>;
  /** The same for a request that matches no RPC, which counts as a failed use of the key. */
  refuse(call: Call): Promise<void>;
  /**
   * Counts the use of the key, and records for the audit trail a refused change, or that the key acted for a user, and for the
   * recent requests a denial, or a sample: once, when the answer is known, because an RPC may deny its caller, too.
   */
  conclude(call: Call): void;
}

/**
 * The gate runs the first part of the order of checks (`order.ts`) before a byte of the body is read, and counts the use
 * of the key.
 *
 * Connect's interceptors would be too late: it parses the body first, so that a broken body would answer 400 before 401.
 */
export function createGate(ctx: GateContext): Gate {
  async function identify(call: Call): Promise<void> {
    try {
      const presented = await findPresentedKey(ctx, call.credentials);
      if (presented !== undefined) call.presented = presented;
    } catch (err) {
      // The answer is decided already and says nothing about the credentials but their limit.
      ctx.report(err, call);
    }
    await reportLimit(ctx, call);
  }

  async function checkLater(checked: Promise<Principal>, call: Call): Promise<Principal> {
    try {
      const principal = await checked;
      call.gateOutcome = "passed";
      return principal;
    } catch (err) {
      return refuseCall(err, call);
    }
  }

  async function refuseCall(err: unknown, call: Call): Promise<never> {
    call.gateOutcome = "refused";
    await reportLimit(ctx, call);
    throw ctx.translate(err, call);
  }

  function recordWithoutKey(call: Call): void {
    const { denial } = call;
    if (denial === undefined || !ctx.requestRecorder.isOn) return;
    ctx.requestRecorder.record(recentRequestOf(call, denial.reason, ctx.clock()));
  }

  /**
   * `isFirst`: the first success of the key since its uses were stored, of which one a minute becomes a sample. All other
   * successes cost nothing.
   */
  function recordWithKey(call: Call, { key, at }: PresentedKey, failure: UseFailure | undefined, isFirst: boolean) {
    const isKept =
      failure === undefined ? isFirst && ctx.requestRecorder.samples(key.keyId, at) : ctx.requestRecorder.isOn;
    if (isKept) ctx.requestRecorder.record(recentRequestOf(call, failure, at));
  }

  return {
    check(method, call) {
      try {
        const policy = policyOf(ctx.policies, method);
        call.policy = policy;
        const principal = checkHeaders(ctx, policy, call);
        if (principal instanceof Promise) return checkLater(principal, call);
        call.gateOutcome = "passed";
        return principal;
      } catch (err) {
        return refuseCall(err, call);
      }
    },
    identify,
    async refuse(call) {
      await identify(call);
      call.gateOutcome ??= "refused";
    },
    conclude(call) {
      recordRefusal(ctx.refusals, call);
      const { presented, principal } = call;
      if (presented === undefined || call.gateOutcome === undefined) return recordWithoutKey(call);
      // When the key was looked up, by the clock that also decides when it was created and when it expires.
      const failure = failureOf(call);
      const isFirst = ctx.usage.count(presented.key.keyId, { failure, at: presented.at });
      recordWithKey(call, presented, failure, isFirst);
      if (failure !== undefined || principal?.kind !== "secret_key" || principal.onBehalfOf === null) return;
      ctx.impersonations.record(presented.at, call, principal);
    },
  };
}

/** Why a use failed. Undefined: it was successful. */
function failureOf({ denial, gateOutcome, policy }: Call): UseFailure | undefined {
  if (denial !== undefined) return denial.reason;
  if (gateOutcome === "passed") return undefined;
  // Only the checks of a method set its policy: where they end without a denial, they could not be made.
  return policy === undefined ? "not_found" : "internal";
}

/** The gate as Connect calls it. */
export function toRequestGate(gate: Gate): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    await gate.check(context.method, callOf(context.values));
  };
}

/** Whether a caller lacked the right to a change, which is what the audit trail has. */
function recordRefusal(refusals: GateContext["refusals"], call: Call): void {
  const { denial, principal, policy, procedure: rpc = "" } = call;
  if (denial?.reason !== "insufficient_scope" || principal === undefined) return;
  if (policy === undefined || policy.auditAction === null) return;
  const { tenantId } = principal;
  refusals.record({ ...originOf(call, principal), tenantId, rpc, reason: denial.reason });
}
