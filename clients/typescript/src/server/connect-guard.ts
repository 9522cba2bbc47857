import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import { nameOf } from "../policy/method-policy.ts";
import { answerHeaders, checkedHeadersOf, dropClaimsOf, forwardedFor } from "./auth-headers.ts";
import { putCaller } from "./caller.ts";
import { callerContext } from "./caller-context.ts";
import { lackedScope, refusalError, tokenNotAllowed, wrongKind } from "./connect-denial.ts";
import { admits, kindOf, lackedWildcard, presentedBy, type Rule, ruleOf, ruleQuestion } from "./policy-rule.ts";
import { unverifiedRefusal } from "./refusal.ts";
import type { Verify } from "./verification.ts";

/** Which services a guard of Connect RPCs guards. */
export interface ConnectOptions {
  /**
   * The services whose RPCs it lets through, as protoc-gen-es describes them: `[PlanService]`. Their policies are checked
   * at once. An RPC of any other service is refused with code `internal`.
   */
  readonly services: readonly DescService[];
  /**
   * The client's IP address, for keys with `allowed_ips` and for Latchkey's log: what the platform says of the connection,
   * such as a context value that `contextValues` of `connectNodeAdapter` made from `req.socket.remoteAddress`, never a header that
   * clients can write. Default: not known, so that Latchkey sees the guarded service's own address.
   */
  readonly clientAddress?: ((req: UnaryRequest | StreamRequest) => string | null | undefined) | undefined;
}

const OPTIONS = namesOf<ConnectOptions>({ services: true, clientAddress: true });
/** A Connect interceptor that decides on each RPC by its `(latchkey.v1.policy)`, as Latchkey's own gate does. */
export function guardConnect(verify: Verify, known: readonly string[], options: ConnectOptions): Interceptor {
  checkOptions(options, OPTIONS);
  const rules = rulesOf(options.services, known);
  return (next) => async (req) => {
    const rule = rules.get(req.method);
    if (rule === undefined) throw notChecked(req.method, verify.report);
    dropClaimsOf(req.header);
    if (rule.callers.includes(Caller.ANYONE)) return next(req);
    const presented = presentedBy(req.header);
    const address = options.clientAddress?.(req);
    const verdict = await verify(checkedHeadersOf(req.header), forwardedFor(address), ruleQuestion(rule, presented));
    if (verdict.kind === "refused") throw refusalError(verdict);
    const { caller, headers } = verdict;
    if (caller.tokenId !== undefined && !rule.tokens) throw tokenNotAllowed(rule.callers, headers);
    if (caller.kind !== kindOf(presented)) {
      // The question was about the scopes of another kind.
      verify.report(
        new Error(`the answer is not a verdict: it names a ${caller.kind} where the headers present a ${presented}`),
      );
      throw refusalError(unverifiedRefusal());
    }
    if (!admits(rule, presented)) throw wrongKind(presented, rule.callers, headers);
    const lacked = lackedWildcard(rule, caller);
    if (lacked !== undefined) throw lackedScope(lacked, headers);
    req.contextValues.set(callerContext, { ...caller, tenantId: caller.tenantId || undefined });
    if (caller.tenantId !== "") putCaller(req.contextValues, caller);
    try {
      const res = await next(req);
      addTo(res.header, headers);
      return res;
    } catch (err) {
      if (err instanceof ConnectError) addTo(err.metadata, headers);
      throw err;
    }
  };
}

/** Throws a `TypeError` for a policy by which no call could be decided. */
function rulesOf(services: readonly DescService[], known: readonly string[]): ReadonlyMap<DescMethod, Rule> {
  const list: unknown = services;
  if (!Array.isArray(list) || list.length === 0)
    throw new TypeError("services must list at least one service, such as [PlanService]");
  return new Map(services.flatMap(({ methods }) => methods.map((method) => [method, ruleOf(method, known)] as const)));
}

function notChecked(method: DescMethod, report: Verify["report"]): ConnectError {
  const message = `${nameOf(method)} is of no service that guard.connect was given; list it there`;
  report(new Error(message));
  return new ConnectError(message, Code.Internal);
}

function addTo(headers: Headers, verdict: Headers): void {
  for (const [name, value] of answerHeaders(verdict, (header) => headers.has(header))) headers.set(name, value);
}
