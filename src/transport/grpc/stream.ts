import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { EdgeService } from "../../../gen/latchkey/v1/edge_service_pb.ts";
import { errorOf } from "../../interceptors/error-info.ts";
import { codeOfResponse, type Outcome } from "../answer/answer-code.ts";
import { encodeGrpcMessage, writeTrailersOnly } from "../answer/write.ts";
import { asConnectError, type BodyOwner, collectBody, parseBinary, tooManyBytes } from "../request/body.ts";
import { type Incoming, isDisconnected, type Outgoing, UNLIMITED } from "../request/exchange.ts";
import { messageIn } from "../request/grpc-message.ts";
import type { BodyCall, HeldBodies, HeldBody } from "../request/held-bodies.ts";
import { contentTypeOf } from "../request/media-type.ts";
import { checkProtocolHeaders } from "../request/protocol-headers.ts";
import { bodyBytesMaxOf } from "./open-services.ts";

/** Maximum bytes of a stream of requests, each of which is a name or two. */
const QUESTIONS_BYTES_MAX = 262_144;

const JSON_TYPE = /\+json\b/i;
const GRPC_WEB_TYPE = /^application\/grpc-web/i;

/**
 * Answers a stream of gRPC's own services, reflection and health, without credentials and without the gate. A bidirectional
 * stream is read message by message, since the client may wait for an answer before it sends more. The next answer is made
 * only after the client has read the previous one.
 */
export async function answerStream(
  handler: UniversalHandler,
  request: Omit<UniversalServerRequest, "body">,
  req: Incoming,
  res: Outgoing,
  mark: (answer: { readonly status: number; readonly headers: Headers }) => void,
  { call, bodies }: { readonly call: BodyCall; readonly bodies: HeldBodies },
): Promise<Outcome> {
  const body =
    handler.method.methodKind === "bidi_streaming"
      ? bytesOf(req, isLong(handler) ? undefined : bodies.begin(call))
      : wholeOf(req, handler, { call }, bodies);
  const response = await handler({ ...request, body });
  const { status, header: headers = new Headers() } = response;
  mark({ status, headers });
  const chunks = response.body?.[Symbol.asyncIterator]();
  let chunk = await chunks?.next();
  if (response.trailer !== undefined && chunk?.done !== false) {
    const code = isDisconnected(res) ? "canceled" : codeOfResponse(response, undefined);
    writeTrailersOnly(res, status, headers, response.trailer);
    discardRest(body, req);
    return { status, code };
  }
  // Its service has admitted the caller, or there would be no first message.
  if (isLong(handler)) req.emit(UNLIMITED);
  res.writeHead(status, Object.fromEntries(headers));
  let last: Uint8Array | undefined;
  while (chunk?.done === false && !isDisconnected(res)) {
    last = chunk.value;
    if (!res.write(last)) await drained(res);
    chunk = await chunks?.next();
  }
  const code = isDisconnected(res) ? "canceled" : codeOfResponse(response, last);
  // The client has disconnected. Without this, its watcher would be counted for ever.
  if (chunk?.done === false) await chunks?.return?.();
  if (response.trailer !== undefined) res.addTrailers(Object.fromEntries([...response.trailer].map(encodeGrpcMessage)));
  res.end();
  discardRest(body, req);
  return { status, code };
}

/**
 * Reads and discards what a client still sends after its answer. Unread bytes would hold the stream open until it times out,
 * and block the other streams of the connection. Connect leaves the body half read, which keeps the request paused.
 */
function discardRest(body: AsyncGenerator<Uint8Array>, req: Incoming): void {
  const discard = (): void => void req.resume();
  body.return(undefined).then(discard, discard);
}

/** Whether a stream lasts as long as its client: those of services with credentials of their own, which end with the process. */
export function isLong({ service, method }: UniversalHandler): boolean {
  return service === EdgeService && method.methodKind === "bidi_streaming";
}

/** Resolves when the client has read what was sent, or has disconnected. */
function drained(res: Outgoing): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      res.off("drain", goOn).off("close", goOn);
      resolve();
    };
    res.on("drain", goOn).on("close", goOn);
  });
}

/** The complete request, before any of it is checked. The client may not read an answer until it has sent everything. */
async function* wholeOf(
  req: Incoming,
  handler: UniversalHandler,
  owner: BodyOwner,
  bodies: HeldBodies,
): AsyncGenerator<Uint8Array> {
  checkProtocolHeaders(req);
  // A stream reports a body that is too large in the protocol's form, so the call is not marked for a 413.
  const body = await collectBody(req, owner, bodies, bodyBytesMaxOf(handler)).catch(async (err: unknown) => {
    await arrivedWhole(req);
    throw err;
  });
  try {
    const type = contentTypeOf(req);
    const message = messageIn(body, GRPC_WEB_TYPE.test(type));
    // Connect would answer bytes that are not a message with `internal`, before any interceptor.
    if (!JSON_TYPE.test(type)) parseBinary(handler.method.input, message);
  } catch (err) {
    throw asConnectError(err);
  }
  yield body;
}

/** Resolves when all of a request has been read, or its client has disconnected. Refused bytes are discarded meanwhile. */
function arrivedWhole(req: Incoming): Promise<void> {
  if (req.readableEnded || isDisconnected(req)) return Promise.resolve();
  return new Promise((resolve) => {
    req.on("end", () => resolve()).on("close", () => resolve());
  });
}

/**
 * A request's bytes as they arrive. An early return does not destroy the request, which would lose its answer. `held` counts them, as if
 * all were kept: most wait for the rest of a message. Undefined: their sender has shown credentials, and may send any number.
 */
async function* bytesOf(req: Incoming, held: HeldBody | undefined): AsyncGenerator<Uint8Array> {
  checkProtocolHeaders(req);
  let bytes = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.byteLength;
    if (held !== undefined && bytes > QUESTIONS_BYTES_MAX) {
      const message = `body: must be at most ${QUESTIONS_BYTES_MAX} bytes; ask the rest in another stream`;
      throw errorOf("body_too_large", message);
    }
    if (held?.take(chunk.byteLength) === false) throw tooManyBytes();
    yield chunk;
  }
}
