import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import {
  HeaderValueOption_AppendAction as AppendAction,
  type AttributeContext,
  Authorization,
  type CheckRequest,
  CheckRequestSchema,
  type CheckResponse,
  CheckResponseSchema,
  type HeaderValueOptionSchema,
} from "../../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import type { ProofTarget } from "../../domain/access-tokens/proof.ts";
import { invalid, RequestFault } from "../../domain/vocabulary/request-fault.ts";
import type { Call } from "../../interceptors/call.ts";
import type { CheckCaller } from "../../interceptors/gate/check-caller.ts";
import { type AnswerCode, codeOfResponse } from "../answer/answer-code.ts";
import { type Answer, faultAnswer } from "../answer/envelope.ts";
import { markAnswer } from "../answer/mark.ts";
import type { PlainAnswer, PlainGrpcAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import { parseBinary } from "../request/body.ts";
import type { ClientAddress, DescribedRequest } from "../request/client-address.ts";
import type { Incoming } from "../request/exchange.ts";
import { messageIn } from "../request/grpc-message.ts";
import { type Caller, describeCall, describedCaller } from "../request/incoming-call.ts";
import { isGrpc } from "../request/protocol-headers.ts";
import { answerQuestion, type QuestionContext, SCOPES_MAX } from "./auth-check.ts";
import type { AnyAnswer } from "./endpoint.ts";

/** Its procedure in logs and traces. */
export const ENVOY_CHECK = `${Authorization.typeName}/${Authorization.method.check.name}`;

export interface EnvoyCheckContext extends QuestionContext {
  readonly clientAddress: ClientAddress;
}

type HeaderOption = MessageInitShape<typeof HeaderValueOptionSchema>;

/** The headers that a route may have removed of an admitted request, in its extension `remove`. */
const REMOVABLE = ["x-api-key", "authorization", "x-on-behalf-of", "dpop"];
const REMOVE = "remove";
/** With what stands between spaces that follow each other. */
const REMOVE_PARTS_MAX = 64;
const ENVELOPE_HEAD_BYTES = 5;
const GRPC_HEADERS = { "content-type": "application/grpc+proto", "grpc-accept-encoding": "identity" } as const;

/**
 * Maximum bytes of a description: Envoy describes the headers, and is configured not to send the body. It is parsed before its turn.
 */
export const CHECK_BYTES_MAX = 65_536;

/** Who makes the call that Envoy describes. */
export function describedByEnvoy(req: Incoming, body: Uint8Array, address: ClientAddress): Caller | undefined {
  if (!isGrpc(req)) return undefined;
  try {
    const { attributes } = parseBinary(CheckRequestSchema, messageIn(body, false)) as CheckRequest;
    return describedCaller(req, requestIn(attributes), address);
  } catch (err) {
    if (err instanceof RequestFault) return undefined;
    throw err;
  }
}

/**
 * Envoy's `ext_authz` over gRPC: the verdict of `/auth/check` on the request that Envoy describes, by the same code. What the
 * route asks for stands in its `context_extensions`.
 *
 * It does not use Connect's handler, which takes longer than the check does.
 */
export async function answerEnvoyCheck(
  { check, resource, clientAddress }: EnvoyCheckContext,
  req: Incoming,
  call: Call,
  body: Uint8Array,
): Promise<AnyAnswer> {
  if (!isGrpc(req)) return faultAnswer("unsupported_media_type");
  let request: CheckRequest;
  try {
    request = parseBinary(CheckRequestSchema, messageIn(body, false)) as CheckRequest;
  } catch (err) {
    if (err instanceof RequestFault) return grpcError("invalid_argument", err.message);
    throw err;
  }
  const { attributes } = request;
  describeCall(call, req, requestIn(attributes), clientAddress);
  const isProven = call.credentials.dpop.length > 0 && clientAddress.isProxys(req);
  call.proofTarget = isProven ? targetOf(attributes) : undefined;
  const { [REMOVE]: remove = "", ...extensions } = attributes?.contextExtensions ?? {};
  const parts = remove.split(" ", REMOVE_PARTS_MAX + 1);
  const removed = parts.filter((name) => name !== "");
  const checkAll: CheckCaller = (asked, readScopes) =>
    check(asked, () => {
      checkRemoved(removed, parts.length);
      return readScopes();
    });
  const question = questionIn(extensions);
  const answer = await answerQuestion(question, "context_extensions", call, { check: checkAll, resource });
  markAnswer(answer, call, undefined, undefined);
  return grpcAnswer(toCheckResponse(answer, removed), answer.code);
}

/** An error in gRPC's form. Undefined: the request is not gRPC. */
export function failedEnvoyCheck(req: Incoming, err: ConnectError): Answer | undefined {
  if (!isGrpc(req)) return undefined;
  const [headers, trailers] = [new Headers(GRPC_HEADERS), new Headers()];
  setTrailerStatus(trailers, err);
  return {
    status: 200,
    code: codeOfResponse({ trailer: trailers }, undefined),
    headers,
    body: new Uint8Array(),
    trailers,
  };
}

/** The request as Envoy itself has it: no header counts. */
function targetOf(attributes: AttributeContext | undefined): ProofTarget | undefined {
  const http = attributes?.request?.http;
  if (http === undefined || http.host === "" || http.scheme === "") return undefined;
  return { method: http.method, url: `${http.scheme}://${http.host}${http.path}` };
}

/** The request as Envoy has received it: by its connection, whatever its headers say of that, and its headers. */
function requestIn(attributes: AttributeContext | undefined): DescribedRequest {
  const http = attributes?.request?.http;
  const rawHeaders = Object.entries(http?.headers ?? {}).flat();
  for (const { key, value, rawValue } of http?.headerMap?.headers ?? [])
    rawHeaders.push(key, rawValue.byteLength > 0 ? Buffer.from(rawValue).toString("latin1") : value);
  return { rawHeaders, peer: attributes?.source?.address?.socketAddress?.address };
}

/**
 * What the route asks for, as `/auth/check` takes it: several scopes are separated by spaces. An empty one stays, and is
 * rejected: a route whose scope got lost must not admit everyone. So is the one beyond the limit; the rest is not split.
 */
function questionIn(extensions: Readonly<Record<string, string>>): URLSearchParams {
  const question = new URLSearchParams();
  for (const [name, value] of Object.entries(extensions)) {
    if (name !== "scope") question.append(name, value);
    else for (const scope of value.split(" ", SCOPES_MAX + 1)) question.append(name, scope);
  }
  return question;
}

function checkRemoved(removed: readonly string[], parts: number): void {
  if (parts <= REMOVE_PARTS_MAX && removed.every((name) => REMOVABLE.includes(name))) return;
  throw invalid(REMOVE, `must be one or more of ${REMOVABLE.join(", ")}, separated by spaces`);
}

function toCheckResponse(
  { status, code, headers: { list }, body }: PlainAnswer,
  removed: readonly string[],
): CheckResponse {
  const headers: HeaderOption[] = [];
  const callerHeaders: HeaderOption[] = [];
  const limitHeaders: HeaderOption[] = [];
  for (let n = 0; n < list.length; n += 2) {
    const [key = "", value = ""] = [list[n], list[n + 1]];
    const option = {
      header: { key, value },
      appendAction: AppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
      keepEmptyValue: true,
    };
    if (key.startsWith("x-auth-")) callerHeaders.push(option);
    else headers.push(option);
    if (key.startsWith("x-ratelimit-")) limitHeaders.push(option);
  }
  const admission = { headers: callerHeaders, headersToRemove: [...removed], responseHeadersToAdd: limitHeaders };
  return create(CheckResponseSchema, {
    status: { code: numberOf(code) },
    httpResponse:
      status === 200
        ? { case: "okResponse", value: admission }
        : { case: "deniedResponse", value: { status: { code: status }, headers, body: body.toString() } },
  });
}

function grpcAnswer(message: CheckResponse, code: AnswerCode): PlainGrpcAnswer {
  const content = toBinary(CheckResponseSchema, message);
  const body = Buffer.alloc(ENVELOPE_HEAD_BYTES + content.byteLength);
  body.writeUInt32BE(content.byteLength, 1);
  body.set(content, ENVELOPE_HEAD_BYTES);
  return { status: 200, code, headers: new PlainHeaders(GRPC_HEADERS), body, grpcTrailers: { "grpc-status": "0" } };
}

function grpcError(code: AnswerCode, problem: string): Answer {
  const status = { "grpc-status": String(numberOf(code)), "grpc-message": encodeURIComponent(problem) };
  const [headers, trailers] = [new Headers(GRPC_HEADERS), new Headers(status)];
  return { status: 200, code, headers, body: new Uint8Array(), trailers };
}

function numberOf(code: AnswerCode): number {
  return code === "ok" ? 0 : (codeFromString(code) ?? Code.Unknown);
}
