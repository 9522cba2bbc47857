import type { DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { CredentialHeaders } from "../domain/access/credentials.ts";
import type { ReportedLimit, Verdict } from "../domain/access/facts.ts";
import type { Principal } from "../domain/access/principal.ts";
import type { ProofTarget } from "../domain/access-tokens/proof.ts";
import type { RequestSource } from "../domain/credentials/fence.ts";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import type { Denial } from "../domain/vocabulary/denial.ts";
import type { MethodPolicy } from "./policies.ts";

/**
 * The facts about one request. The transport creates it, the gate adds the caller, and the envelope and the access log
 * read it at the end, even if the request failed.
 */
export interface Call extends RequestSource {
  readonly requestId: string;
  readonly credentials: CredentialHeaders;
  /** The header of W3C Trace Context, as it was sent. */
  readonly traceparent?: string | undefined;
  /** What a proof of possession must be for. Unset: none was sent, or a proxy does not say what its client's request is. */
  proofTarget?: ProofTarget | undefined;
  /** Such as `latchkey.v1.ApiKeyService/CreateApiKey`. Unset for an unknown path. */
  procedure?: string | undefined;
  /** The method's policy in the proto. Unset if no method with a policy was called. */
  policy?: MethodPolicy | undefined;
  /** The decision of the gate, or as much as it knows so far. Unset before, and on paths without it. */
  verdict?: Verdict | undefined;
  /** What the call was about: the id of the key, organization, invitation, user or tenant that it created or changed. */
  targetId?: string | undefined;
  /** Why the caller was denied. */
  denial?: Denial | undefined;
  /** What the challenge of a denial names beside the denial. Unset: nothing. */
  challenge?: Challenge | undefined;
  /** Reads as how many requests of the key's limit the call counts. Unset: 1. */
  costReader?: CostReader | undefined;
  /** Set if the body exceeds the size limit. */
  isBodyTooLarge?: true | undefined;
  /** Set where a body is held in memory: ends with the call. */
  heldBody?: { end(): void } | undefined;
  /** The limit that the answer reports. */
  limit?: ReportedLimit | undefined;
}

/** For clients of an OAuth resource: where its metadata is, and all scopes that the operation needs. */
export interface Challenge {
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
}

/** Reads as how many requests a call counts, 1 to 1,000. A wrong value counts as 1, and is rejected later. */
export interface CostReader {
  readCost(): Awaitable<number>;
}

/** What a service receives besides the message, on both paths: lean and Connect's (ADR 10). */
export type CallContext = Pick<HandlerContext, "method" | "values" | "signal">;

/** The implementation of a service whose RPCs are all unary, as ours are. */
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

/** The authenticated caller. Throws if the gate has not run. */
export function principalOf(values: ContextValues): Principal {
  const principal = callOf(values).verdict?.principal;
  if (principal === undefined) throw new Error("no principal in the context: the gate did not run");
  return principal;
}
