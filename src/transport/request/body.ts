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
import type { BodyCall, HeldBodies, HeldBody } from "./held-bodies.ts";
import { checkJson } from "./json/strict-json.ts";
import { contentTypeOf } from "./media-type.ts";
import { checkProtocolHeaders } from "./protocol-headers.ts";

/** Maximum bytes of a request body: 1 MiB. */
export const BODY_BYTES_MAX = 1_048_576;
export const BODY_TOO_LARGE = tooLargeFor(BODY_BYTES_MAX);
/** The content types of requests: the message's format, and whether gRPC puts it into an envelope. */
const TYPES = /^application\/(?<grpc>grpc(?:-web)?\+?)?(?<format>json|proto)?(?![\w+])/i;

/** For a message from which `checkJson` has refused what is unknown, where it is to be refused. */
export const LENIENT = { ignoreUnknownFields: true } as const;

/** Whose body is read, and what reading it sets. */
export interface BodyOwner extends Pick<Call, "isBodyTooLarge"> {
  readonly call: BodyCall;
}

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
  owner: BodyOwner,
  bodies: HeldBodies,
  bytesMax: number,
): Promise<CheckedBody> {
  checkProtocolHeaders(req);
  const bytes = arrivedBody(req, bytesMax) ?? (await collectBody(req, owner, bodies, bytesMax));
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
export function arrivedBody(req: Incoming, bytesMax = BODY_BYTES_MAX): Uint8Array | undefined {
  if (!req.complete || isDisconnected(req) || req.readableLength > bytesMax || req.readableFlowing === true)
    return undefined;
  const body: unknown = req.read();
  return body instanceof Uint8Array ? body : undefined;
}

/**
 * Collects a body up to its limits. Bytes beyond them are read and discarded, for at most the server's request timeout: if
 * the socket or stream were closed while the client is still sending, the client could lose the answer.
 */
export function collectBody(
  req: Incoming,
  owner: BodyOwner,
  bodies: HeldBodies,
  bytesMax = BODY_BYTES_MAX,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // The client disconnected during authentication. Over HTTP/2, the part that has arrived would look like a complete body.
    if (isDisconnected(req)) return reject(endedEarly());
    const held = bodies.begin(owner.call);
    let body: CollectedBody | undefined = new CollectedBody(bytesMax, held);
    const refuse = (err: ConnectError): void => {
      if (body === undefined) return;
      body = undefined;
      held.drop();
      reject(err);
    };
    const refuseLarge = (): void => {
      owner.isBodyTooLarge = true;
      refuse(errorOf("body_too_large", tooLargeFor(bytesMax)));
    };
    onBodyFault(req, ({ message }) => refuse(errorOf("malformed_http", message)));
    // A client that declares too large a body gets the answer before it sends it.
    if (Number(req.headers["content-length"]) > bytesMax) refuseLarge();
    req.on("data", (chunk: Uint8Array) => {
      if (body === undefined) return;
      if (body.length + chunk.byteLength > bytesMax) refuseLarge();
      else if (!body.add(chunk)) refuse(tooManyBytes());
    });
    req.on("end", () => {
      if (body !== undefined) resolve(body.bytes());
    });
    req.on("error", (err) => refuse(endedEarly(err)));
    req.on("close", () => {
      // `close` is always emitted, and creating an error is expensive.
      if (!req.readableEnded) refuse(endedEarly());
    });
  });
}

const EMPTY = new Uint8Array();

/**
 * The part of a body that has arrived, in memory of its own: a chunk is part of what was read from the network with it, and a kept byte of
 * it would keep all of that.
 */
class CollectedBody {
  readonly #bytesMax: number;
  readonly #held: HeldBody;
  #memory: Uint8Array = EMPTY;
  length = 0;

  constructor(bytesMax: number, held: HeldBody) {
    this.#bytesMax = bytesMax;
    this.#held = held;
  }

  /** False: there is no memory for it. */
  add(chunk: Uint8Array): boolean {
    if (!this.#makeRoom(this.length + chunk.byteLength)) return false;
    this.#memory.set(chunk, this.length);
    this.length += chunk.byteLength;
    return true;
  }

  bytes(): Uint8Array {
    return this.length === this.#memory.byteLength ? this.#memory : this.#memory.subarray(0, this.length);
  }

  /** A first chunk often is all of a body; from the second on the memory doubles, or a body in small chunks would be copied too often. */
  #makeRoom(needed: number): boolean {
    const had = this.#memory.byteLength;
    if (needed <= had) return true;
    const size = Math.min(this.#bytesMax, Math.max(needed, 2 * had));
    if (!this.#held.take(size - had)) return false;
    const memory = Buffer.allocUnsafeSlow(size);
    if (had > 0) memory.set(this.bytes());
    this.#memory = memory;
    return true;
  }
}

function endedEarly(cause?: Error): ConnectError {
  return new ConnectError("the request ended early", Code.Canceled, undefined, undefined, cause);
}

/** Says for how long to wait, as every answer of an overloaded process. */
export function tooManyBytes(): ConnectError {
  const message =
    "The service holds as many bytes of unfinished requests as it may; retry after the seconds in Retry-After.";
  return errorOf("overloaded", message, { metadata: { "Retry-After": "1" } });
}

function tooLargeFor(bytesMax: number): string {
  return `body: must be at most ${bytesMax} bytes.`;
}
