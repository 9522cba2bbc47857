import { AuthService } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import type { Edge } from "../../edge/edge.ts";
import type { EdgeGate } from "../../edge/edge-gate.ts";
import type { Call } from "../../interceptors/call.ts";
import type { ErrorTranslator } from "../../interceptors/errors.ts";
import { createCheckCaller } from "../../interceptors/index.ts";
import { type Policies, policyOf } from "../../interceptors/policies.ts";
import { createAuthService } from "../../services/auth-service.ts";
import { faultAnswer } from "../../transport/answer/envelope.ts";
import { failedAnswer } from "../../transport/answer/failed-answer.ts";
import type { PlainAnswer } from "../../transport/answer/plain-answer.ts";
import { AUTH_CHECK, AUTH_CHECK_PATH, answerAuthCheck } from "../../transport/endpoints/auth-check.ts";
import { type Endpoint, readEndpointBody } from "../../transport/endpoints/endpoint.ts";
import type { ClientAddress } from "../../transport/request/client-address.ts";
import type { Incoming } from "../../transport/request/exchange.ts";
import type { HeldBodies } from "../../transport/request/held-bodies.ts";
import { createUnary, createUnaryRpc, rpcsOf, type UnaryRpc } from "../../transport/unary.ts";
import { unavailable } from "./unavailable.ts";
import type { Upstream } from "./upstream.ts";

export interface QuestionsContext {
  readonly edge: Pick<Edge, "gate" | "count">;
  readonly upstream: Pick<Upstream, "pass">;
  readonly policies: Policies;
  readonly translate: ErrorTranslator;
  readonly clientAddress: ClientAddress;
  readonly bodies: HeldBodies;
  /** Called with what keeps the service from being asked. */
  readonly onFailure: (err: unknown) => void;
}

/** The edge's decisions, while it has a gate. */
interface Decisions extends Pick<EdgeGate, "isVerdict"> {
  verify(req: Incoming, call: Call, keep: (body: Uint8Array) => void): Promise<PlainAnswer | undefined>;
  check(req: Incoming, call: Call): Promise<PlainAnswer>;
}

/** Of a question that is passed on. The longest question by far is shorter. */
const BODY_BYTES_MAX = 65_536;
const VERIFY = AuthService.method.verify;
const PROCEDURE = `${AuthService.typeName}/${VERIFY.name}`;

/** Verify and `/auth/check`: decided here where the edge may, and else by the service. */
export function createQuestions(ctx: QuestionsContext): Endpoint[] {
  const policy = policyOf(ctx.policies, VERIFY);
  const decisionsOf = new WeakMap<EdgeGate, Decisions>();

  function decisions(call: Call): Decisions | undefined {
    // Callers without a key are the service's.
    const gate = call.credentials.apiKey.length === 0 ? undefined : ctx.edge.gate();
    if (gate === undefined) return undefined;
    const known = decisionsOf.get(gate) ?? decideBy(gate, ctx);
    decisionsOf.set(gate, known);
    return known;
  }

  async function answer(
    call: Call,
    decide: (by: Decisions, tried: Call) => Promise<PlainAnswer | undefined>,
    pass: () => Promise<PlainAnswer>,
  ): Promise<PlainAnswer> {
    const by = decisions(call);
    // Of a call that is not decided here nothing is kept: the service decides it from the beginning, counts it and reports its limit.
    const tried = { ...call };
    const decided = by && (await decide(by, tried));
    const isDecided = decided !== undefined && (tried.verdict?.outcome !== "refused" || by?.isVerdict(tried) === true);
    ctx.edge.count(isDecided);
    call.heldBody = tried.heldBody;
    if (!isDecided) return pass();
    Object.assign(call, tried);
    return decided;
  }

  async function verify(req: Incoming, call: Call): Promise<PlainAnswer> {
    let body: Uint8Array | undefined;
    const keep = (bytes: Uint8Array): void => {
      body = bytes;
    };
    return answer(
      call,
      (by, tried) => by.verify(req, tried, keep),
      async () => {
        // A part of it was read: its client has gone, or it is too long even for the service.
        if (body === undefined && req.readableDidRead) return faultAnswer("body_too_large");
        try {
          return await pass(req, call, body ?? (await readEndpointBody({}, req, call, ctx.bodies)));
        } catch (err) {
          return failedAnswer(ctx.translate(err, call), call);
        }
      },
    );
  }

  async function pass(req: Incoming, call: Call, body: Uint8Array | undefined): Promise<PlainAnswer> {
    if (body !== undefined && body.byteLength > BODY_BYTES_MAX)
      return faultAnswer("body_too_large", `body: must be at most ${BODY_BYTES_MAX} bytes for an edge to pass it on.`);
    try {
      return await ctx.upstream.pass(req, call, body);
    } catch (err) {
      ctx.onFailure(err);
      return unavailable();
    }
  }

  const call = { method: "POST", body: "none", port: "main", isReadableByPages: false, procedure: PROCEDURE } as const;
  return [
    // Generated clients call the second one.
    ...[policy.path, `/${PROCEDURE}`].map((path): Endpoint => ({ ...call, path, answer: verify })),
    {
      ...{ path: AUTH_CHECK_PATH, procedure: AUTH_CHECK, method: "any", body: "none" },
      ...{ port: "main", isReadableByPages: false, isRelayed: true },
      answer: (req, call) =>
        answer(
          call,
          (by, tried) => by.check(req, tried),
          () => pass(req, call, undefined),
        ),
    },
  ];
}

function decideBy(
  { gate, authority, resource, isVerdict }: EdgeGate,
  { policies, translate, clientAddress, bodies }: QuestionsContext,
): Decisions {
  // Only dashboard users may have a key explained, and they are the service's.
  const service = createAuthService({ authority, explanations: undefined });
  const [implementation] = rpcsOf(AuthService, service);
  if (implementation === undefined) throw new Error("AuthService has no RPC");
  const rpc = createUnaryRpc(implementation, policyOf(policies, VERIFY));
  const unary = createUnary({ gate, translate, bodies });
  const question = {
    check: createCheckCaller(gate, authority, translate, resource),
    resource: resource ?? undefined,
    clientAddress,
  };
  return {
    isVerdict,
    verify: async (req, call, keep) => unary.answer(keeping(rpc, keep), req, undefined, call),
    check: (req, call) => answerAuthCheck(req, call, question),
  };
}

/** The RPC, which also reports the body that it reads. */
function keeping(rpc: UnaryRpc, keep: (body: Uint8Array) => void): UnaryRpc {
  const kept = (parse: UnaryRpc["parse"]): UnaryRpc["parse"] => ({
    json: (body) => {
      keep(body);
      return parse.json(body);
    },
    proto: (body) => {
      keep(body);
      return parse.proto(body);
    },
  });
  return { ...rpc, parse: kept(rpc.parse), read: kept(rpc.read) };
}
