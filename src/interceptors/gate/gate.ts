import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import { decide, type FactSources } from "../../domain/access/decide.ts";
import { Facts, UNCHECKED, type Verdict } from "../../domain/access/facts.ts";
import { ANONYMOUS, type Principal } from "../../domain/access/principal.ts";
import type { ImpersonationRecorder, RefusalRecorder } from "../../domain/audit/audit-trail.ts";
import { originOf } from "../../domain/audit/origin.ts";
import { refusalOf } from "../../domain/credentials/status.ts";
import { hashOfKey } from "../../domain/key-formats/any-key.ts";
import type { ForeignKeys } from "../../domain/key-formats/foreign-keys.ts";
import { exhausted } from "../../domain/limits/budget.ts";
import type { RequestRecorder } from "../../domain/requests/request-log.ts";
import type { UsageRecorder } from "../../domain/usage/usage-store.ts";
import type { UseFailure } from "../../domain/usage/uses.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { type Call, callOf } from "../call.ts";
import type { ErrorReporter, ErrorTranslator } from "../errors.ts";
import { type Policies, policyOf } from "../policies.ts";
import { recentRequestOf } from "./recent-request.ts";

export interface GateContext {
  readonly admission: Pick<Admission, "find" | "peek">;
  readonly foreignKeys: Pick<ForeignKeys, "hashOf">;
  readonly policies: Policies;
  readonly usage: Pick<UsageRecorder, "count">;
  readonly refusals: Pick<RefusalRecorder, "record">;
  readonly impersonations: Pick<ImpersonationRecorder, "record">;
  readonly requestRecorder: Pick<RequestRecorder, "isOn" | "samples" | "record">;
  readonly clock: Clock;
  readonly report: ErrorReporter;
  readonly translate: ErrorTranslator;
}

/** Checks requests only from their headers. */
export interface Gate {
  /** Decides a call of a method; returns its caller. Throws a `ConnectError`. The call has the verdict. */
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

const OPEN: Verdict = { ...UNCHECKED, principal: ANONYMOUS, caller: "anonymous", outcome: "admitted" };

/**
 * The gate decides a call by `CHECKS` before a byte of the body is read, and counts the use of the key. After it:
 *
 * - from the body, in the transport (`request/body.ts`): the headers that describe the body and the protocol are supported; the body is
 *   whole, small enough and a message. That of an RPC whose message names a cost is read for the check of the limit, and its faults are
 *   reported here;
 * - from the message (`message-checks.ts`), which the header `Idempotency-Key` may name: its values can be stored; it obeys the rules of
 *   the proto.
 *
 * Then the service runs. The lean path (`transport/unary.ts`) calls these one after the other; Connect calls them where it lets us: in its
 * request gate, in the body that it reads, and in the innermost interceptor. Connect's interceptors would be too late for the gate: it parses
 * the body first, so that a broken body would answer 400 before 401.
 */
export function createGate(sources: FactSources<Call>, ctx: GateContext): Gate {
  function settle(verdict: Verdict, call: Call): Awaitable<Principal> {
    call.verdict = verdict;
    call.limit = verdict.limit;
    const { principal, outcome, refusal } = verdict;
    return outcome === "admitted" && principal !== undefined ? principal : refuseCall(refusal, call);
  }

  async function refuseCall(refusal: unknown, call: Call): Promise<never> {
    await reportLimit(ctx, call);
    throw ctx.translate(refusal, call);
  }

  async function identify(call: Call): Promise<void> {
    try {
      const presented = await findPresentedKey(ctx, call);
      // Where the gate has decided before, it knows more.
      if (presented !== undefined) call.verdict ??= { ...UNCHECKED, presented };
    } catch (err) {
      // The answer is decided already and says nothing about the credentials but their limit.
      ctx.report(err, call);
    }
    await reportLimit(ctx, call);
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
        if (policy.callers.has("anonymous")) return settle(OPEN, call);
        const facts = new Facts(call, policy);
        // From now on, so that a caller is known as soon as it is authenticated: its body and its place in line are its own.
        call.verdict = facts;
        return after(decide(sources, facts), settle, call);
      } catch (err) {
        return settle({ ...UNCHECKED, outcome: "refused", refusal: err }, call);
      }
    },
    identify,
    async refuse(call) {
      await identify(call);
      const { verdict = UNCHECKED } = call;
      if (verdict.outcome === "unchecked") call.verdict = { ...verdict, outcome: "refused" };
    },
    conclude(call) {
      recordRefusal(ctx.refusals, call);
      const { presented, principal, outcome } = call.verdict ?? UNCHECKED;
      if (presented === undefined || outcome === "unchecked") return recordWithoutKey(call);
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
function failureOf({ denial, verdict, policy }: Call): UseFailure | undefined {
  if (denial !== undefined) return denial.reason;
  if (verdict?.outcome === "admitted") return undefined;
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
  const { denial, verdict, policy, procedure: rpc = "" } = call;
  const principal = verdict?.principal;
  if (denial?.reason !== "insufficient_scope" || principal === undefined) return;
  if (policy === undefined || policy.auditAction === null) return;
  const { tenantId } = principal;
  refusals.record({ ...originOf(call, principal), tenantId, rpc, reason: denial.reason });
}

/** The presented key, usable or not. Undefined without one, or with an access token. Checks no token, and spends nothing. */
async function findPresentedKey(
  { admission, foreignKeys }: Pick<GateContext, "admission" | "foreignKeys">,
  { credentials }: Call,
): Promise<PresentedKey | undefined> {
  const [secret, another] = credentials.apiKey;
  if (secret === undefined || another !== undefined) return undefined;
  const secretHash = await hashOfKey(foreignKeys, secret);
  return secretHash === undefined ? undefined : admission.find(secretHash);
}

/**
 * Records the limit of a key whose request did not reach the limiter, and spends nothing: a stranger's bad token must not
 * drain a publishable key. A key that is unknown, unusable or malformed has nothing left.
 */
async function reportLimit(ctx: GateContext, call: Call): Promise<void> {
  const presented = call.verdict?.presented;
  // A key is presented by itself, or by a token that stands for it.
  if (call.limit !== undefined || (call.credentials.apiKey.length === 0 && presented === undefined)) return;
  call.limit = exhausted(presented?.at ?? ctx.clock());
  if (presented === undefined || refusalOf(presented) !== null) return;
  try {
    call.limit = await ctx.admission.peek(presented);
  } catch (err) {
    // The answer is decided already, and a failure to read the limit must not change it.
    ctx.report(err, call);
  }
}
