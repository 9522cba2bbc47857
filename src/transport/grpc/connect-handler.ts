import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { type Call, setCall } from "../../interceptors/call.ts";
import { type Answer, type TransportFault, toAnswer } from "../answer/envelope.ts";
import { CONNECTION, connectionOf } from "../http/connection.ts";
import { BODY_BYTES_MAX, type CheckedBody, readBody, requestBody } from "../request/body.ts";
import { clientDisconnectSignal } from "../request/client-disconnect.ts";
import { BodyReader, namesCost } from "../request/cost.ts";
import type { Incoming, Outgoing } from "../request/exchange.ts";
import type { HeldBodies } from "../request/held-bodies.ts";
import { toWebHeaders } from "../request/incoming-call.ts";
import { canonicalMediaType, contentTypeOf } from "../request/media-type.ts";
import { isCompressed, isGrpc } from "../request/protocol-headers.ts";

/** Why a request never reaches Connect's handler, if so. */
export function routingFault(
  req: Incoming,
  { supportedContentType, method }: UniversalHandler,
): TransportFault | undefined {
  if (req.method !== "POST") return "method_not_allowed";
  if (!supportedContentType(canonicalMediaType(contentTypeOf(req)))) return "unsupported_media_type";
  if (isCompressed(req)) return "unsupported_content_encoding";
  return method.methodKind === "bidi_streaming" && req.httpVersion !== "2.0" ? "needs_http2" : undefined;
}

/** Answers a unary call by Connect's handler. Undefined: the content type is one that Connect takes for streams only. */
export async function answerByConnect(
  handler: UniversalHandler,
  ignoreUnknownMembers: boolean,
  req: Incoming,
  res: Outgoing,
  call: Call,
  bodies: HeldBodies,
  bytesMax = BODY_BYTES_MAX,
): Promise<Answer | undefined> {
  const { method } = handler;
  const read = (owner: BodyReader<CheckedBody>) =>
    readBody(req, method.input, ignoreUnknownMembers, owner, bodies, bytesMax);
  const reader = new BodyReader(call, read, (whole) => whole.message());
  if (namesCost(method)) call.costReader = reader;
  const response = await handler({ ...toUniversal(handler, req, res, call), body: requestBody(reader) });
  if (response.status === 415) return undefined;
  const complete = await toAnswer(response, call);
  // Connect leaves it out of an error's metadata.
  if (isGrpc(req)) complete.headers.set("grpc-accept-encoding", "identity");
  return complete;
}

/** A request in the form of Connect's handlers, without its body. */
export function toUniversal(
  handler: UniversalHandler,
  req: Incoming,
  res: Outgoing,
  call: Call,
): Omit<UniversalServerRequest, "body"> {
  return {
    httpVersion: req.httpVersion,
    method: "POST",
    // Connect only reads the query of it; the caller's Host must not come near a URL parser.
    url: `http://localhost${handler.requestPath}`,
    header: toWebHeaders(req),
    signal: clientDisconnectSignal(res),
    contextValues: setCall(createContextValues(), call).set(CONNECTION, connectionOf(req)),
  };
}
