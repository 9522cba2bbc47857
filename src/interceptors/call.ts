import type { DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Denial } from "../domain/denial.ts";
import type { CredentialHeaders } from "../domain/identity/credentials.ts";
import type { Principal } from "../domain/identity/principal.ts";
import type { LimitState } from "../domain/limits/decision.ts";
import type { PresentedKey } from "../domain/ports/admission.ts";
import type { MethodPolicy } from "./policies.ts";

/**
 * What is known about one request, filled in on its way: transport creates it, the gate adds the caller, and the
 * envelope and the access log read it at the end, whatever became of the request in between.
 */
export interface Call {
  readonly requestId: string;
  readonly credentials: CredentialHeaders;
  /** `latchkey.v1.ApiKeyService/CreateApiKey`. Unset: no such path. */
  procedure?: string;
  /** What the proto says of the method. Unset: nothing was called that has a policy. */
  policy?: MethodPolicy;
  /** The key that was presented, if there is one; usable or not. */
  presented?: PresentedKey;
  /** How the gate judged. Unset where anyone may ask: that does not count as a use of the key. */
  gateOutcome?: "passed" | "refused";
  /** Who is calling, as soon as it is known; of a denied call too. */
  principal?: Principal;
  /** Why the caller was turned away. */
  denial?: Denial;
  /** The body has more bytes than any may have. */
  isBodyTooLarge?: true;
  /** The limit of the key as this request left it, with the seconds to wait if it was refused for it. */
  limit?: LimitState & { readonly retryAfterSeconds?: number };
}

/** What a service is told of a call besides its message, over either path (ADR 10). */
export type CallContext = Pick<HandlerContext, "method" | "values" | "signal">;

/** What serves a service whose RPCs are all unary, as ours are. */
export type UnaryImpl<Service extends DescService> = {
  [Method in keyof Service["method"]]: (
    req: MessageShape<Service["method"][Method]["input"]>,
    context: CallContext,
  ) =>
    | MessageInitShape<Service["method"][Method]["output"]>
    | Promise<MessageInitShape<Service["method"][Method]["output"]>>;
};

const callKey = createContextKey<Call | undefined>(undefined, { description: "latchkey call" });

export function setCall(values: ContextValues, call: Call): ContextValues {
  return values.set(callKey, call);
}

export function callOf(values: ContextValues): Call {
  const call = values.get(callKey);
  if (call === undefined) throw new Error("no call in the context: the request did not come through our transport");
  return call;
}

/** The verified caller. Only to be asked behind the gate. */
export function principalOf(values: ContextValues): Principal {
  const { principal } = callOf(values);
  if (principal === undefined) throw new Error("no principal in the context: the gate did not run");
  return principal;
}
