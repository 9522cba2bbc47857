import { ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerParse } from "@connectrpc/connect/protocol-grpc-web";

const HEAD_BYTES = 5;
const TRAILERS = 0x80;

export interface GrpcWebAnswer {
  /** Of HTTP: 200, unless the call did not reach its RPC. */
  readonly status: number;
  /** Headers, and the trailers that came with or after them. */
  readonly headers: Headers;
  /** The bytes of the message; empty with an error. */
  readonly message: Buffer;
  /** As Connect writes it in JSON. */
  readonly error:
    | {
        readonly code: string;
        readonly message?: string;
        readonly details?: readonly { type: string; value: string }[];
      }
    | undefined;
}

/** Sends one message over gRPC-Web, which Connect's handler serves, with the bytes that a plain call would have as its body. */
export async function callGrpcWeb(
  url: string,
  procedure: string,
  format: "json" | "proto",
  message: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<GrpcWebAnswer> {
  const bytes = Buffer.from(message);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(bytes.byteLength, 1);
  const response = await fetch(url + procedure, {
    method: "POST",
    headers: { "content-type": `application/grpc-web+${format}`, ...headers },
    body: Buffer.concat([head, bytes]),
  });
  const received = Buffer.from(await response.arrayBuffer());
  const isGrpc = response.headers.get("content-type")?.startsWith("application/grpc-web") === true;
  if (!isGrpc) {
    const error = JSON.parse(received.toString());
    return { status: response.status, headers: response.headers, message: Buffer.alloc(0), error };
  }
  const all = new Headers(response.headers);
  let content = Buffer.alloc(0);
  for (let at = 0; at + HEAD_BYTES <= received.length; ) {
    const end = at + HEAD_BYTES + received.readUInt32BE(at + 1);
    const frame = received.subarray(at + HEAD_BYTES, end);
    if (((received[at] ?? 0) & TRAILERS) === 0) content = frame;
    else for (const [name, value] of trailerParse(frame)) all.set(name, value);
    at = end;
  }
  const failure = findTrailerError(all);
  const error = failure && (errorToJson(ConnectError.from(failure), undefined) as unknown as GrpcWebAnswer["error"]);
  return { status: response.status, headers: all, message: content, error };
}
