import { type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { invalid, RequestFault } from "../domain/request-fault.ts";
import type { Incoming } from "./exchange.ts";
import { checkJson } from "./strict-json.ts";

/** Most bytes of a request body: 1 MiB. */
export const BODY_BYTES_MAX = 1_048_576;
/** The types of requests by what their message is encoded in; gRPC puts the message into an envelope. */
const TYPES = /^application\/(?<grpc>grpc(?:-web)?\+?)?(?<format>json|proto)?(?![\w+])/i;
const ENVELOPE_BYTES = 5;

/**
 * The body as Connect reads it: nothing is read until the gate has let the caller in, and a message is checked whole
 * before any of it is handed on, over every protocol alike.
 */
export async function* requestBody(
  req: Incoming,
  schema: DescMessage,
  ignoreUnknownMembers: boolean,
): AsyncGenerator<Uint8Array> {
  const body = arrivedBody(req) ?? (await collectBody(req));
  try {
    const { grpc, format = "proto" } = TYPES.exec(req.headers["content-type"] ?? "")?.groups ?? {};
    const message = grpc === undefined ? body : onlyMessage(body);
    if (message === undefined) return yield body;
    if (format.toLowerCase() === "json") checkJson(schema, message, ignoreUnknownMembers);
    else parseBinary(schema, message);
  } catch (err) {
    throw err instanceof RequestFault ? new ConnectError(err.message, Code.InvalidArgument) : err;
  }
  yield body;
}

/** The message of an envelope; undefined where there is not exactly one, uncompressed, which Connect refuses itself. */
function onlyMessage(body: Uint8Array): Uint8Array | undefined {
  if (body.byteLength < ENVELOPE_BYTES) return undefined;
  const envelope = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const isWhole = envelope.getUint8(0) === 0 && envelope.getUint32(1) === body.byteLength - ENVELOPE_BYTES;
  return isWhole ? body.subarray(ENVELOPE_BYTES) : undefined;
}

/** Connect would answer 500 to what is no message. Throws `RequestFault`. */
export function parseBinary(schema: DescMessage, body: Uint8Array): Message {
  try {
    return fromBinary(schema, body);
  } catch {
    throw invalid("body", "must be the request message in the binary format of Protocol Buffers");
  }
}

/**
 * A body that came with its head, as the small ones do, and waits whole in the request's buffer. Undefined: it has to be
 * collected.
 */
export function arrivedBody(req: Incoming): Uint8Array | undefined {
  if (!req.complete || req.readableLength > BODY_BYTES_MAX || req.readableFlowing === true) return undefined;
  const body: unknown = req.read();
  return body instanceof Uint8Array ? body : undefined;
}

/**
 * Collects a body up to the limit. What exceeds it is read on and thrown away, for at most the server's request
 * timeout: a socket closed under a client that is still sending would lose it the answer.
 */
export function collectBody(req: Incoming): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let bytes = 0;
    // Who declares it need not send it to be told.
    if (Number(req.headers["content-length"]) > BODY_BYTES_MAX) reject(tooLarge());
    req.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      reject(tooLarge());
    });
    req.on("end", () => resolve(Buffer.concat(chunks)));
    req.on("error", (err) =>
      reject(new ConnectError("the request ended early", Code.Canceled, undefined, undefined, err)),
    );
    req.on("close", () => {
      // Always emitted; an error is dear to make.
      if (!req.readableEnded) reject(new ConnectError("the request ended early", Code.Canceled));
    });
  });
}

function tooLarge(): ConnectError {
  return new ConnectError(`body: must be at most ${BODY_BYTES_MAX} bytes.`, Code.ResourceExhausted);
}
