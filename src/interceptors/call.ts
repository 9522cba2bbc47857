import type { DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { PresentedKey } from "../domain/access/admission.ts";
import type { CredentialHeaders } from "../domain/access/credentials.ts";
import type { Impersonation } from "../domain/access/impersonation.ts";
import type { Principal } from "../domain/access/principal.ts";
import type { CheckedProof, ProofTarget } from "../domain/access-tokens/proof.ts";
import type { RequestSource } from "../domain/credentials/fence.ts";
import type { LimitState } from "../domain/limits/decision.ts";
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
  /** The proof of possession that was sent, to be used up once the limit admits the call. Unset: none was sent. */
  proof?: CheckedProof | undefined;
  /** Such as `latchkey.v1.ApiKeyService/CreateApiKey`. Unset for an unknown path. */
  procedure?: string | undefined;
  /** The method's policy in the proto. Unset if no method with a policy was called. */
  policy?: MethodPolicy | undefined;
  /** The key of the request, usable or not. Unset if it has none, or the key is unknown. */
  presented?: PresentedKey | undefined;
  /** The service's own token that was sent in place of the key, whatever its state. Unset without a token. */
  tokenId?: string | undefined;
  /** The gate's decision. Unset on paths without authentication, which do not count as a use of the key. */
  gateOutcome?: "passed" | "refused" | undefined;
  /** The caller, as soon as it is authenticated. Also set if the call is denied later. */
  principal?: Principal | undefined;
  /** What `X-On-Behalf-Of` comes to, if the limit depends on its user. Authorization uses it, whether it allows the call or not. */
  impersonation?: Impersonation | undefined;
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
  /** The key's limit after this request. With the seconds to wait if the limit was exceeded. */
  limit?: (LimitState & { readonly retryAfterSeconds?: number | undefined }) | undefined;
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
  const { principal } = callOf(values);
  if (principal === undefined) throw new Error("no principal in the context: the gate did not run");
  return principal;
}
