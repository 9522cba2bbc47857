import { type DescMessage, fromBinary, fromJson, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";
import type { Call } from "../../interceptors/call.ts";
import { errorOf, errorOfFault } from "../../interceptors/error-info.ts";
import { onBodyFault } from "./body-faults.ts";
import { limitFields } from "./body-structure.ts";
import { type Incoming, isDisconnected } from "./exchange.ts";
import { messageIn } from "./grpc-message.ts";
import { checkJson } from "./json/strict-json.ts";
import { contentTypeOf } from "./media-type.ts";
import { checkProtocolHeaders } from "./protocol-headers.ts";

/** Maximum bytes of a request body: 1 MiB. */
export const BODY_BYTES_MAX = 1_048_576;
export const BODY_TOO_LARGE = `body: must be at most ${BODY_BYTES_MAX} bytes.`;
/** The content types of requests: the message's format, and whether gRPC puts it into an envelope. */
const TYPES = /^application\/(?<grpc>grpc(?:-web)?\+?)?(?<format>json|proto)?(?![\w+])/i;

/** For a message from which `checkJson` has refused what is unknown, where it is to be refused. */
export const LENIENT = { ignoreUnknownFields: true } as const;

/** The part of a call that reading its body sets. */
export type BodyFlags = Pick<Call, "isBodyTooLarge">;

/** A body with a message that is known to have the form of its schema. */
export interface CheckedBody {
  readonly bytes: Uint8Array;
  /** Parses it. */
  message(): Message;
}

/** The body as Connect reads it. Nothing is read until the gate has authenticated the caller. */
export async function* requestBody(reader: { body(): Awaitable<CheckedBody> }): AsyncGenerator<Uint8Array> {
  yield (await reader.body()).bytes;
}

/** Reads a whole body. Over every protocol, the complete message is checked before any of it is passed on. */
export async function readBody(
  req: Incoming,
  schema: DescMessage,
  ignoreUnknownMembers: boolean,
  flags: BodyFlags,
): Promise<CheckedBody> {
  checkProtocolHeaders(req);
  const bytes = arrivedBody(req) ?? (await collectBody(req, flags));
  try {
    const { grpc, format = "proto" } = TYPES.exec(contentTypeOf(req))?.groups ?? {};
    const content = grpc === undefined ? bytes : messageIn(bytes, /^grpc-web/i.test(grpc));
    if (format.toLowerCase() === "json") {
      const json = checkJson(schema, content, ignoreUnknownMembers);
      return { bytes, message: () => fromJson(schema, json, LENIENT) };
    }
    const message = parseBinary(schema, content);
    return { bytes, message: () => message };
  } catch (err) {
    throw asConnectError(err);
  }
}

/** Converts a fault of the body to a `ConnectError`. Connect reports other errors as `internal`. */
export function asConnectError(err: unknown): unknown {
  return err instanceof RequestFault ? errorOfFault(err) : err;
}

/** Parses a binary message. Throws `RequestFault`. Connect would answer 500 to bytes that are not a message. */
export function parseBinary(schema: DescMessage, body: Uint8Array): Message {
  try {
    limitFields(schema, body);
    return fromBinary(schema, body);
  } catch (err) {
    if (err instanceof RequestFault) throw err;
    throw new RequestFault(
      "malformed_body",
      "body: must be the request message in the binary format of Protocol Buffers",
    );
  }
}

/**
 * A body that arrived together with its head, as small ones do, and is completely in the request's buffer. Undefined if it
 * must be collected.
 */
export function arrivedBody(req: Incoming): Uint8Array | undefined {
  if (!req.complete || isDisconnected(req) || req.readableLength > BODY_BYTES_MAX || req.readableFlowing === true)
    return undefined;
  const body: unknown = req.read();
  return body instanceof Uint8Array ? body : undefined;
}

/**
 * Collects a body up to the limit. Bytes beyond it are read and discarded, for at most the server's request timeout: if
 * the socket were closed while the client is still sending, the client could lose the answer.
 */
export function collectBody(req: Incoming, call: BodyFlags): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => {
      call.isBodyTooLarge = true;
      reject(tooLarge());
    };
    // The client disconnected during authentication. Over HTTP/2, the part that has arrived would look like a complete body.
    if (isDisconnected(req)) return reject(endedEarly());
    onBodyFault(req, ({ message }) => reject(errorOf("malformed_http", message)));
    let chunks: Uint8Array[] = [];
    let bytes = 0;
    // A client that declares too large a body gets the answer before it sends it.
    if (Number(req.headers["content-length"]) > BODY_BYTES_MAX) refuse();
    req.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      refuse();
    });
    req.on("end", () => resolve(Buffer.concat(chunks)));
    req.on("error", (err) => reject(endedEarly(err)));
    req.on("close", () => {
      // `close` is always emitted, and creating an error is expensive.
      if (!req.readableEnded) reject(endedEarly());
    });
  });
}

function endedEarly(cause?: Error): ConnectError {
  return new ConnectError("the request ended early", Code.Canceled, undefined, undefined, cause);
}

function tooLarge(): ConnectError {
  return errorOf("body_too_large", BODY_TOO_LARGE);
}
