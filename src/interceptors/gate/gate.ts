import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { readCredentials } from "../../domain/identity/credentials.ts";
import type { Principal } from "../../domain/identity/principal.ts";
import { authorize } from "../../domain/policy/authorize.ts";
import type { Admission } from "../../domain/ports/admission.ts";
import type { UsageRecorder } from "../../domain/ports/usage.ts";
import { type Call, callOf } from "../call.ts";
import type { ErrorTranslator } from "../errors.ts";
import { type Policies, policyOf } from "../policies.ts";
import { type AuthenticationContext, authenticate, findPresentedKey } from "./authentication.ts";
import { type RateLimitContext, reportLimit, settle, take } from "./rate-limit.ts";

export interface GateContext extends AuthenticationContext, RateLimitContext {
  readonly admission: Admission;
  readonly policies: Policies;
  readonly usage: UsageRecorder;
  readonly translate: ErrorTranslator;
}

/** Judges requests from their headers alone. */
export interface Gate {
  /** Judges a call of a method, and records and answers its caller. Throws a `ConnectError`. */
  check(method: DescMethod, call: Call): Promise<Principal>;
  /** For paths that are no RPC: looks the key up only to report its limit; judges and spends nothing. */
  identify(call: Call): Promise<void>;
  /** The same for a request that matches no RPC, which counts as a failed use of the key. */
  refuse(call: Call): Promise<void>;
  /** Counts the use of the key, once, when the answer is known: an RPC may deny its caller, too. */
  count(call: Call): void;
}

/**
 * The gate judges every request before a byte of the body is read.
 *
 * Connect's interceptors would be too late: it parses the body first, so that a broken body would answer 400 before 401.
 */
export function createGate(ctx: GateContext): Gate {
  async function identify(call: Call): Promise<void> {
    try {
      const presented = await findPresentedKey(ctx, call.credentials);
      if (presented !== undefined) call.presented = presented;
    } catch (err) {
      // The answer is decided already and tells nothing about the credentials but their limit.
      ctx.report(err, call);
    }
    await reportLimit(ctx, call);
  }

  return {
    async check(method, call) {
      try {
        const policy = policyOf(ctx.policies, method);
        call.policy = policy;
        call.principal = await authenticate(ctx, readCredentials(call.credentials), call);
        const { presented } = call;
        if (presented !== undefined) settle(call, presented.decision ?? (await take(ctx, presented, call)));
        call.principal = authorize(call.principal, policy, call.credentials.onBehalfOf);
        call.gateOutcome = "passed";
        return call.principal;
      } catch (err) {
        call.gateOutcome = "refused";
        await reportLimit(ctx, call);
        throw ctx.translate(err, call);
      }
    },
    identify,
    async refuse(call) {
      await identify(call);
      call.gateOutcome ??= "refused";
    },
    count({ presented, gateOutcome, denial }) {
      if (presented === undefined || gateOutcome === undefined) return;
      const successful = gateOutcome === "passed" && denial === undefined;
      // When the key was judged: by that clock it is told when it was made and when it ends, too.
      ctx.usage.count(presented.key.keyId, { successful, at: presented.at });
    },
  };
}

/** The gate as Connect calls it. */
export function toRequestGate(gate: Gate): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    await gate.check(context.method, callOf(context.values));
  };
}
