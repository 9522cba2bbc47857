import { RequestFault } from "../../domain/vocabulary/request-fault.ts";

const HEAD_BYTES = 5;
const COMPRESSED = 0x01;
const TRAILERS = 0x80;

/**
 * Returns the only message of a gRPC body, without its envelope. In gRPC-Web, trailers may follow it. Throws `RequestFault`.
 *
 * Connect answers some of these faults with `unimplemented` or `internal`. It also parses all messages before it rejects the
 * second one: a body of 200,000 empty envelopes would keep it busy for 300 ms.
 */
export function messageIn(body: Uint8Array, mayHaveTrailers: boolean): Uint8Array {
  if (body.byteLength === 0)
    throw new RequestFault("malformed_body", "body: must be one message in its envelope, and is empty");
  const { flags, content, rest } = firstOf(body);
  const isTrailers = mayHaveTrailers && (flags & TRAILERS) !== 0;
  if (isTrailers) throw new RequestFault("malformed_body", "body: must be one message, with trailers after it at most");
  if (rest.byteLength === 0) return content;
  const second = firstOf(rest);
  if (!mayHaveTrailers || (second.flags & TRAILERS) === 0 || second.rest.byteLength > 0) {
    throw new RequestFault("malformed_body", "body: must be one message; send each in a call of its own");
  }
  return content;
}

/** Splits off the first envelope of a body: a byte of flags, four bytes of length, and as many bytes of content. */
function firstOf(body: Uint8Array) {
  const head = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const end = body.byteLength < HEAD_BYTES ? Number.POSITIVE_INFINITY : HEAD_BYTES + head.getUint32(1);
  if (end > body.byteLength) {
    throw new RequestFault(
      "malformed_body",
      "body: ends within a message; send the 5 bytes before it, and as many as they say",
    );
  }
  const flags = head.getUint8(0);
  if ((flags & COMPRESSED) !== 0)
    throw new RequestFault("malformed_body", "body: must not be compressed; send messages without compression");
  return { flags, content: body.subarray(HEAD_BYTES, end), rest: body.subarray(end) };
}
